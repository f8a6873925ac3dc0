// From a module to something that runs: the pipeline, bytecode, kernels. Shared by `run`, `build` and `dap`.
#pragma once

#include <memory>
#include <string>

#include "core/codegen/kernels.h"
#include "core/pass/runner.h"
#include "core/vm/executable.h"

namespace rx::cli {

struct CompiledProgram {
  pass::History history;  ///< every stage; the last is what was compiled
  Ref<vm::Executable> executable;
  std::shared_ptr<vm::KernelProvider> kernels;
};

struct CompileOptions {
  std::string passes = "default";  ///< pipeline; empty = the default one
  std::string target;
  codegen::KernelOptions kernel;
  std::shared_ptr<codegen::KernelCache> cache;  ///< may be null
  CancelToken cancel;
};

/// Fails with what the pipeline text, a pass or the code generation says.
Result<CompiledProgram> compileProgram(const ir::Module& module, const CompileOptions& options);

}  // namespace rx::cli
