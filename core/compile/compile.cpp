#include "core/compile/compile.h"

#include <fmt/format.h>

#include "core/codegen/device_kernels.h"
#include "core/codegen/device_writer.h"
#include "core/compile/device_code.h"
#include "core/compile/device_statistics.h"
#include "core/compile/machine.h"
#include "core/compile/request/passes.h"
#include "core/device/maker/maker.h"
#include "core/device/run/architecture.h"
#include "core/device/run/placed.h"
#include "core/ir/inline_calls.h"
#include "core/ir/language.h"
#include "core/script/print.h"
#include "core/support/thread_pool.h"
#include "core/vm/codegen.h"

namespace rx::compile {

namespace {

constexpr const char* kHostKind = "llvm";

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

Result<target::TargetRef> hostOf(const target::TargetRef& target) {
  if (!target || target->kind() == kHostKind) return target;
  return target->host() ? Result<target::TargetRef>(target->host()) : target::parseTarget(kHostKind);
}

Result<Program> compile(const Request& request, const Control& control) {
  Program program;
  program.request = request;
  if (!request.target) {
    RX_TRY(target, target::parseTarget("llvm"));
    program.request.target = target;
  }
  const std::string_view kind = program.request.target->kind();
  if (kind != kHostKind && !codegen::writesDeviceText(kind)) {
    return fail("codegen.target", fmt::format("not available: no machine code is made for {}", kind));
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
  const target::TargetRef& target = program.request.target;
  RX_TRY(host, hostOf(target));
  RX_TRY(machine, machineHere(*host));
  codegen::KernelOptions options = kernelOptionsOf(program.request);
  options.machine = std::move(machine);
  Program onHost = program;
  onHost.request.target = host;
  const bool keeps = store != nullptr;
  codegen::KernelCompiler compiler{std::move(options), loweringOf(onHost, control), std::move(store)};
  std::shared_ptr<codegen::JitKernels> kernels = codegen::makeJitKernels(program.module, std::move(compiler));
  if (host == target) return kernels;
  RX_TRY(rows, rowsOf(*program.module, *target));
  RX_TRY(devices, device::openRows(target->kind(), rows));
  const std::string architecture = codegen::architectureOf(*target);
  for (const auto& device : devices)
    if (device && !device::runsOn(architecture, device->properties().architecture))
      return device::noCodeFor(*device, {architecture},
                               "leave the architecture out of the target: it is the device's then");
  return codegen::makeDeviceKernels(program.module, deviceOptionsOf(program, control), std::move(devices),
                                    std::move(kernels), device::programSources(keeps),
                                    [&](const auto& device) { return statisticsOn(device, target, control, keeps); });
}

Result<codegen::ModuleText> deviceTextOf(const Program& program, const Control& control) {
  const std::string_view kind = program.request.target->kind();
  if (!codegen::writesDeviceText(kind)) {
    return fail("codegen.target", fmt::format("{} is no target whose kernels are a text", kind));
  }
  return codegen::deviceText(program.module, deviceOptionsOf(program, control));
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
