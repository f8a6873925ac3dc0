// A compiled kernel, ready to be called on tensors of zeros.
#pragma once

#include <vector>

#include "core/codegen/jit.h"
#include "core/compile/compile.h"
#include "core/runtime/kernel_host.h"

namespace rx::cli {

class KernelCall {
 public:
  /// Fails with `rule` where sizes or values are not told by the kernel's signature, or where its code does not run
  /// here.
  static Result<KernelCall> of(const compile::Program& program, const std::string& name, const char* rule,
                               const compile::Control& control);
  Result<Unit> run() const;
  const vm::CompiledKernel& compiled() const { return *compiled_; }

 private:
  KernelCall() = default;
  std::vector<vm::Value> values_;
  std::shared_ptr<codegen::JitKernels> kernels_;  ///< keeps the code, and so does:
  Ref<vm::Callable> callable_;
  const vm::CompiledKernel* compiled_ = nullptr;
  vm::Surroundings around_;
};

}  // namespace rx::cli
