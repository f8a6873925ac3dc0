// core/codegen: PrimFuncs to machine code by LLVM, for stepping (compiled when first reached, not optimised, accesses
// checked) and for release. The other layers see kernels as vm::Callable; LLVM's headers stay inside the .cpp files.
//
// Signature: how the parameters of a PrimFunc become the arguments of its machine code, and the checks before a call.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/module.h"
#include "core/runtime/callable.h"

namespace rx::codegen {

/// Where a parameter, or a symbolic variable, is found by the machine code.
struct KernelArgument {
  enum class Place : uint8_t { Buffer, Int, Real } place = Place::Buffer;
  size_t index = 0;
};

/// What the machine code gets: `entry(buffers, ints, reals, result, host)`, 0 when it went well.
using KernelEntry = int32_t (*)(void** buffers, const int64_t* ints, const double* reals, int64_t* result, void* host);

struct BoundArguments {
  std::vector<void*> buffers;
  std::vector<int64_t> ints;
  std::vector<double> reals;
};

/// Immutable once made.
class Signature {
 public:
  /// Fails with codegen.signature for a parameter that no argument can fill.
  static Result<Signature> of(const tir::PrimFuncRef& function);

  const tir::PrimFuncRef& function() const { return function_; }
  const std::vector<KernelArgument>& params() const { return params_; }
  /// The symbolic variables that shapes bind, in the order of their ints (after the integer parameters).
  const std::vector<tir::VarRef>& symbols() const { return symbols_; }
  size_t intCount() const { return intParams_ + symbols_.size(); }
  size_t intParamCount() const { return intParams_; }
  /// Parameters that the body may write.
  bool mayWrite(size_t param) const { return param < written_.size() && written_[param]; }

  /// Type of the value that the body returns (T.ret); void without one.
  DataType resultType() const { return resultType_; }

  /// Binds symbolic variables from the arguments' shapes and checks every shape, type and scalar, so that the machine
  /// code only gets what its parameters promise. Fails with vm.kernel-argument (or vm.argument-count).
  Result<BoundArguments> bind(std::string_view name, std::span<const vm::Value> args) const;

 private:
  using Environment = std::unordered_map<const tir::Var*, int64_t>;
  Result<Unit> bindBuffer(std::string_view name, size_t param, const vm::Value& value, Environment& env) const;
  Result<Unit> checkBuffer(std::string_view name, size_t param, const HostTensor& tensor, Environment& env) const;
  tir::PrimFuncRef function_;
  std::vector<KernelArgument> params_;
  std::vector<tir::VarRef> symbols_;
  std::vector<bool> written_;
  size_t intParams_ = 0;
  DataType resultType_ = DataType::Void();
};

}  // namespace rx::codegen
