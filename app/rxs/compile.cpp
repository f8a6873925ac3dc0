#include "app/rxs/compile.h"

#include <fmt/format.h>

#include "core/compile/request/passes.h"
#include "core/ir/inline_calls.h"
#include "core/script/print.h"
#include "core/vm/codegen.h"

namespace rx::cli {

namespace {

/// What a pass said about the same place tells why a call is still there that can not be compiled.
void addReasons(std::vector<Diagnostic>& errors, const pass::History& history) {
  for (Diagnostic& error : errors) {
    if (!error.span.known()) continue;
    for (const pass::StepRecord& step : history.steps) {
      for (const Diagnostic& said : step.messages) {
        if (said.span == error.span) error.notes.push_back({said.message, {}});
      }
    }
  }
}

}  // namespace

Result<target::TargetRef> targetToRun(const std::string& text) {
  RX_TRY(target, target::parseTarget(text.empty() ? "llvm" : text));
  if (target->isThisMachine()) return target;
  return fail(
      "codegen.target",
      fmt::format("not available: machine code is made for the processor of this machine, not for {}", target->json()));
}

Result<CompiledModule> compileModule(const ir::Module& module, const CompileOptions& options) {
  RX_TRY(calls, pass::parsePipeline(compile::passTable(), options.passes));
  pass::RunOptions run;
  RX_TRY(target, options.target ? Result<target::TargetRef>(options.target) : targetToRun({}));
  run.context.target = target;
  run.context.cancel = options.cancel;
  CompiledModule compiled;
  compiled.history = pass::runPipeline(module, calls, run);
  if (!compiled.history.steps.empty() && compiled.history.steps.back().failed()) {
    std::vector<Diagnostic> why = compiled.history.steps.back().messages;
    for (Diagnostic& diagnostic : why) {
      if (diagnostic.context.empty()) diagnostic.context = "pass " + compiled.history.steps.back().name;
    }
    return fail(std::move(why));
  }
  compiled.inlined = ir::withCallsInlined(compiled.history.stage(compiled.history.steps.size()));
  auto executable =
      vm::generateExecutable(compiled.lowered(), [](const tir::PrimExpr& expr) { return script::printPrimExpr(expr); });
  if (!executable) {
    std::vector<Diagnostic> errors = executable.diagnostics();
    addReasons(errors, compiled.history);
    return fail(std::move(errors));
  }
  compiled.executable = std::move(*executable);
  codegen::KernelOptions kernels;
  kernels.optLevel = options.optLevel;
  // Indices may depend on data; a wrong one has to end in a message, not in a crash.
  kernels.checkAccess = true;
  compiled.kernels = codegen::makeJitKernels(compiled.lowered(), kernels, codegen::makeKernelCache());
  return compiled;
}

}  // namespace rx::cli
