// From a module to something that runs: the pipeline, bytecode and kernels. What run, build and dap share.
#pragma once

#include <memory>
#include <string>

#include "core/codegen/kernels.h"
#include "core/pass/runner.h"
#include "core/vm/executable.h"

namespace rx::cli {

struct CompileOptions {
  std::string passes = "default";
  target::TargetRef target;  ///< null: this machine
  int optLevel = 2;          ///< of machine code; 0 for stepping
  CancelToken cancel;
};

struct CompiledModule {
  pass::History history;  ///< stage 0 is the module, the last is what was compiled
  Ref<vm::Executable> executable;
  std::shared_ptr<vm::KernelProvider> kernels;
  ir::Module inlined;
  /// What is compiled: the last stage, with the calls of kernels in kernels inlined.
  const ir::Module& lowered() const { return inlined; }
};

/// The target that --target names, this machine for an empty text. Fails with target.* where it can not be read, and
/// with codegen.target where no machine code can be made for it.
Result<target::TargetRef> targetToRun(const std::string& text);

/// Fails with the diagnostics of the pass that failed, of code generation, or with pass.syntax and its kin.
Result<CompiledModule> compileModule(const ir::Module& module, const CompileOptions& options);

}  // namespace rx::cli
