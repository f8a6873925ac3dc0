// Functions that kernels of a device call where a kernel of the processor calls the C library or the runtime.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>

#include "core/tensor/dtype.h"

namespace rx::codegen {

/// They are made in a module when first asked for.
class DeviceFunctions {
 public:
  explicit DeviceFunctions(llvm::Module& module) : module_(module) {}
  /// By the C library's name: exp of float64, expf of float32, which is computed as float64; null for one that there is
  /// none of.
  llvm::Function* math(const std::string& name);
  /// double or float times a power of two, an int32.
  llvm::Function* ldexp(bool wide);
  /// The value (float) of the bits (int32) of a small float, and back.
  llvm::Function* decode(DataType dtype);
  llvm::Function* encode(DataType dtype);
  /// int64 to the power of int64, in 64 bits; of a negative power what is left of the quotient.
  llvm::Function* power();
  /// Notes what went wrong, unless something else did before: (words, site, index, extent).
  llvm::Function* fault();

 private:
  /// The function of this name; `body` emits one that is not there yet, and gives what it returns.
  template <class Body>
  llvm::Function* function(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> params,
                           Body&& body);
  llvm::Module& module_;
};

}  // namespace rx::codegen
