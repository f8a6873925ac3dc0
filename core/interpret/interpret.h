// core/interpret: the reference interpreter, slow, simple and exact. TIR over host tensors, lowered to loops first, and
// Relax of any stage (operators through their legalization), over the values of the runtime. It is the oracle: `rxs run
// --check` and the generated tests compare compiled kernels with it.
//
// A PrimFunc is first compiled to a flat list of instructions over registers (program.h), so its depth costs no native
// stack and budget and cancellation are checked in one loop. Floating point is rounded to its type after every
// operation; integers wrap to theirs. Arguments are bound and accesses refused as compiled kernels do it, in their
// words.
#pragma once

#include "core/ir/module.h"
#include "core/runtime/callable.h"

namespace rx::interpret {

using vm::Value;

/// A function as a value (an Opaque of vm::Value): of the module, of the outside, local, or a closure.
struct FunctionValue : Object {
  relax::Expr function;         ///< GlobalVar, ExternFunc or Function
  std::vector<Value> captured;  ///< of make_closure: values of the last parameters
  Ref<Object> environment;      ///< of a local function: what it sees
};

struct Options {
  /// Cancellation, memory and packed functions. Without memory of its own a run has as much as maxBytes, without a
  /// registry the builtins of the runtime.
  vm::Surroundings around;
  int64_t maxSteps = int64_t{1} << 40;   ///< instructions of TIR and bindings of Relax
  int64_t maxBytes = int64_t{16} << 30;  ///< of allocated tensors alive at one time
  int64_t maxDepth = 10000;              ///< nested calls of Relax functions
};

/// Runs a PrimFunc on its arguments, one a parameter: tensors for buffers, numbers for scalars; what it writes is
/// written in place (a tensor over read-only storage must not be an output). The result is null, or the number of a
/// function that returns one.
/// Fails as compiled kernels do: vm.kernel-argument (rank, type, a dimension that does not fit), vm.argument-count,
/// the rules of vm::KernelFault; and with interpret.budget, interpret.cancelled, interpret.unavailable (an intrinsic
/// that has no meaning on a host).
Result<Value> runPrimFunc(const tir::PrimFuncRef& function, std::span<const Value> args, const Options& options);

/// Runs a Relax function of the module (or a PrimFunc) on values. Shapes are checked against the annotations; a
/// mismatch says the parameter, the axis, the symbol, both values and who bound the first (interpret.shape).
Result<Value> runFunction(const ir::Module& module, std::string_view name, std::span<const Value> args,
                          const Options& options);

/// The value of an expression without free variables, as constant folding needs it: constants, calls of operators and
/// call_tir of functions of the module.
Result<Value> evaluate(const ir::Module& module, const relax::Expr& expr, const Options& options);

}  // namespace rx::interpret
