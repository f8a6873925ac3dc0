// core/compile: the compiler's driver, and the only one: a request becomes a program. Passes, bytecode, the lowering of
// kernels, machine code; with progress, cancellation, and kernels kept on disk between runs. Linked by rxs alone, which
// the engine is a verb of.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/codegen/device_text.h"
#include "core/codegen/kernels.h"
#include "core/compile/request/request.h"
#include "core/pass/runner.h"
#include "core/runtime/executable.h"

namespace rx::compile {

struct Control {
  CancelToken cancel;
  /// Called on the thread that does the work, or several of them: "pass FuseOps", 3 of 16.
  std::function<void(std::string_view what, size_t done, size_t count)> progress;
  bool keepStages = false;  ///< the history holds every stage, as a debugger shows them; else the last one alone
  /// Told of each kernel that runs on the host although the target is a device, and why.
  std::function<void(std::string_view kernel, const Diagnostic& why)> onHost = {};
};

/// A module as what runs, but for the machine code of its kernels.
struct Program {
  Request request;
  pass::History history;  ///< the passes that ran; where stages are kept, 0 is the module, the last what was compiled
  ir::Module module;      ///< the last stage, with the calls of kernels in kernels inlined
  Ref<vm::Executable> executable;
};

/// Fails with the diagnostics of the pass that failed, of code generation, or with pass.syntax and its kin.
Result<Program> compile(const Request& request, const Control& control);

/// The kernels of a program for this process, compiled when first called. `store` may be null. Fails with
/// codegen.target where the request names a processor whose code this machine can not run, with device.* where it
/// names a device that is not there.
Result<std::shared_ptr<codegen::JitKernels>> kernelsOf(const Program& program, const Control& control,
                                                       std::shared_ptr<codegen::ObjectStore> store);

/// The kernels of a program for a device, as the text that its driver compiles. Fails with codegen.target where the
/// target is none.
Result<codegen::ModuleText> deviceTextOf(const Program& program, const Control& control);

/// What calls the kernels of a target: the target itself (null: this machine), or the host of a device.
Result<target::TargetRef> hostOf(const target::TargetRef& target);

/// Compiles the kernels that the program calls, on all cores. A kernel that can not be compiled is told when called.
void compileAhead(codegen::JitKernels& kernels, const Program& program, const Control& control);

/// How each kernel of the program is lowered and emitted.
codegen::Lowering loweringOf(const Program& program, const Control& control);
codegen::KernelOptions kernelOptionsOf(const Request& request);

}  // namespace rx::compile
