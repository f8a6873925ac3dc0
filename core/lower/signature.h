// Signature: how the parameters of a PrimFunc become the arguments that a kernel is run with, by whom ever.
#pragma once

#include <vector>

#include "core/ir/module.h"
#include "core/runtime/kernel_signature.h"

namespace rx::lower {

/// Immutable once made.
class Signature {
 public:
  /// Fails with codegen.signature for a parameter that no argument can fill.
  static Result<Signature> of(const tir::PrimFuncRef& function);

  const tir::PrimFuncRef& function() const { return function_; }
  /// The same for the runtime, which binds the arguments.
  const vm::KernelSignature& kernel() const { return kernel_; }
  const std::vector<vm::KernelParam>& params() const { return kernel_.params; }
  /// The symbolic variables that shapes bind, in the order of their ints (after the integer parameters).
  const std::vector<tir::VarRef>& symbols() const { return symbols_; }
  /// Of parameters that are bare pointers: the symbol that is the number of bytes behind them.
  const std::vector<std::pair<tir::VarRef, tir::VarRef>>& sizes() const { return sizes_; }
  /// Type of the value that the body returns (T.ret); void without one.
  DataType resultType() const { return kernel_.resultType; }

 private:
  tir::PrimFuncRef function_;
  vm::KernelSignature kernel_;
  std::vector<tir::VarRef> symbols_;
  std::vector<std::pair<tir::VarRef, tir::VarRef>> sizes_;
};

}  // namespace rx::lower
