#include "app/rxs/program.h"

#include "core/script/print.h"
#include "core/transform/passes.h"
#include "core/vm/codegen.h"

namespace rx::cli {

Result<CompiledProgram> compileProgram(const ir::Module& module, const CompileOptions& options) {
  std::string text = options.passes.empty() ? "default" : options.passes;
  RX_TRY(calls, pass::parsePipeline(transform::passTable(), text));
  pass::RunOptions run;
  run.context.target = options.target;
  run.context.cancel = options.cancel;
  CompiledProgram program;
  program.history = pass::runPipeline(module, calls, run);
  for (const pass::StepRecord& step : program.history.steps)
    if (step.failed()) return fail(step.messages);
  const ir::Module& lowered = program.history.stage(program.history.stageCount() - 1);
  RX_TRY(executable, vm::generateExecutable(lowered, [](const tir::PrimExpr& e) { return script::printPrimExpr(e); }));
  program.executable = std::move(executable);
  program.kernels = codegen::makeJitKernels(lowered, options.kernel, options.cache);
  return program;
}

}  // namespace rx::cli
