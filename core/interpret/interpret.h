// core/interpret: the reference interpreter, slow, simple and exact: TIR, lowered to loops first, over the values of
// the runtime. It is the oracle: `rxs run --check` and the generated tests compare compiled kernels with it. A module
// runs on the machine, with its kernels as that one's (kernels.h; core/evaluate for modules at any stage).
//
// A PrimFunc is first compiled to a flat list of instructions over registers (program.h), so its depth costs no native
// stack and budget and cancellation are checked in one loop. Floating point is rounded to its type after every
// operation; integers wrap to theirs. Arguments are bound and accesses refused as compiled kernels do it, in their
// words. Loops that do nothing but add products up, which are most of what a network computes, are one instruction
// (product_sums.h): each element gets what they give it, bit by bit.
#pragma once

#include "core/ir/module.h"
#include "core/runtime/callable.h"

namespace rx::interpret {

using vm::Value;

struct Options {
  /// Cancellation, memory and packed functions. Without memory of its own a run has as much as maxBytes, without a
  /// registry the builtins of the runtime.
  vm::Surroundings around;
  int64_t maxSteps = int64_t{1} << 40;   ///< instructions
  int64_t maxBytes = int64_t{16} << 30;  ///< of allocated tensors alive at one time
};

/// Runs a PrimFunc on its arguments, one a parameter: tensors for buffers, numbers for scalars; what it writes is
/// written in place (a tensor over read-only storage must not be an output). The result is null, or the number of a
/// function that returns one.
/// Fails as compiled kernels do: vm.kernel-argument (rank, type, a dimension that does not fit), vm.argument-count,
/// the rules of vm::KernelFault; and with interpret.budget, vm.cancelled, interpret.unavailable (an intrinsic
/// that has no meaning on a host).
Result<Value> runPrimFunc(const tir::PrimFuncRef& function, std::span<const Value> args, const Options& options);

}  // namespace rx::interpret
