#include "core/compile/compile.h"

#include <fmt/format.h>

#include "core/compile/machine.h"
#include "core/compile/request/passes.h"
#include "core/ir/inline_calls.h"
#include "core/ir/language.h"
#include "core/script/print.h"
#include "core/support/thread_pool.h"
#include "core/vm/codegen.h"

namespace rx::compile {

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

Result<pass::History> throughPasses(const Request& request, const Control& control) {
  if (request.ran) return *request.ran;
  RX_TRY(calls, stepsFor(*request.module, request.passes));
  pass::RunOptions run;
  run.context.target = request.target;
  run.context.cancel = control.cancel;
  run.context.optLevel = request.optLevel;
  run.keepStages = control.keepStages;
  if (control.progress) {
    run.progress = [&](size_t step, size_t count) {
      if (step < count) control.progress(fmt::format("pass {}", calls[step].row->name), step, count);
    };
  }
  pass::History history = pass::runPipeline(request.module, calls, run);
  if (history.steps.empty() || !history.steps.back().failed()) return history;
  std::vector<Diagnostic> why = history.steps.back().messages;
  for (Diagnostic& diagnostic : why) {
    if (diagnostic.context.empty()) diagnostic.context = "pass " + history.steps.back().name;
  }
  return fail(std::move(why));
}

/// Fails where a function is in a language that no code is generated from.
Result<Unit> checkLanguages(const ir::IRModule& module) {
  for (size_t i = 0; i < module.size(); ++i) {
    const ir::Language& language = ir::languageOf(*module.functions[i]);
    if (language.toCompiled.empty()) continue;
    return fail(errorAt(module.functions[i]->span, "compile.language",
                        fmt::format("{} is a function of the language {} still, which is not compiled",
                                    module.vars[i]->name.view(), language.name)));
  }
  return Unit{};
}

}  // namespace

Result<Program> compile(const Request& request, const Control& control) {
  Program program;
  program.request = request;
  if (!request.target) {
    RX_TRY(target, target::parseTarget("llvm"));
    program.request.target = target;
  }
  if (program.request.target->kind() != "llvm") {
    return fail("codegen.target",
                fmt::format("not available: no machine code is made for {}", program.request.target->kind()));
  }
  RX_TRY(history, throughPasses(program.request, control));
  program.history = std::move(history);
  RX_CHECK(checkLanguages(*program.history.stage(program.history.steps.size())));
  program.module = ir::withCallsInlined(program.history.stage(program.history.steps.size()));
  auto executable =
      vm::generateExecutable(program.module, [](const tir::PrimExpr& expr) { return script::printPrimExpr(expr); });
  if (!executable) {
    std::vector<Diagnostic> errors = executable.diagnostics();
    addReasons(errors, program.history);
    return fail(std::move(errors));
  }
  program.executable = std::move(*executable);
  return program;
}

codegen::Lowering loweringOf(const Program& program, const Control& control) {
  const bool release = program.request.mode == Mode::Release;
  const lower::HostForm form = release ? lower::HostForm::Flat : lower::HostForm::Loops;
  return [form, target = program.request.target, cancel = control.cancel](const tir::PrimFuncRef& function) {
    return lower::loweredForHost(function, form, cancel, target);
  };
}

codegen::KernelOptions kernelOptionsOf(const Request& request) {
  codegen::KernelOptions options;
  options.optLevel = request.mode == Mode::Release ? 2 : 0;
  options.checkAccess = request.checked;
  return options;
}

Result<std::shared_ptr<codegen::JitKernels>> kernelsOf(const Program& program, const Control& control,
                                                       std::shared_ptr<codegen::ObjectStore> store) {
  RX_TRY(machine, machineHere(*program.request.target));
  codegen::KernelOptions options = kernelOptionsOf(program.request);
  options.machine = std::move(machine);
  codegen::KernelCompiler compiler{std::move(options), loweringOf(program, control), std::move(store)};
  return codegen::makeJitKernels(program.module, std::move(compiler));
}

void compileAhead(codegen::JitKernels& kernels, const Program& program, const Control& control) {
  std::vector<std::string> names;
  for (const vm::FunctionInfo& function : program.executable->functions()) {
    if (function.kind != vm::FunctionKind::Bytecode) names.push_back(function.name);
  }
  ThreadPool pool;
  kernels.compileAhead(names, pool, control.cancel, [&](size_t done, size_t count) {
    if (control.progress) control.progress("kernels", done, count);
  });
}

}  // namespace rx::compile
