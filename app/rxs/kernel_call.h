// A compiled kernel, ready to be called on tensors of zeros.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/codegen/jit.h"
#include "core/compile/compile.h"
#include "core/runtime/kernel_host.h"

namespace rx::cli {

/// Sizes of symbolic variables, by their names.
using SizesByName = std::map<std::string, int64_t>;

class KernelCall {
 public:
  /// `sizes` are those of the variables of the kernel's signature. Fails with `rule` where sizes or values are told
  /// neither by it nor by them, or where its code does not run here.
  static Result<KernelCall> of(const compile::Program& program, const std::string& name, const SizesByName& sizes,
                               const char* rule, const compile::Control& control);
  Result<Unit> run() const { return run(*compiled_); }
  /// Other code of the same kernel.
  Result<Unit> run(const vm::CompiledKernel& code) const;
  /// Of all its tensors.
  int64_t bytes() const;
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
