// What a kernel is lowered to before it is compiled for a processor or interpreted.
#pragma once

#include <functional>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/target/target.h"

namespace rx::lower {

/// How far a kernel is lowered.
enum class HostForm : uint8_t {
  /// No blocks: loops, branches, accesses by as many indices as a buffer has dimensions. The least that runs, made in
  /// well under a millisecond: what is stepped and what the interpreter takes as the meaning of a kernel.
  Loops,
  /// Then vectors and copies of unrolled loops; where every access is proven and no index can wrap, flat buffers and
  /// shared storage; where nothing can wrap or fault, what TVM simplifies. For release.
  Flat,
};

/// A kernel as a back end takes it.
struct HostKernel {
  tir::PrimFuncRef function;
  /// Data pointers of buffers whose accesses are known to stay inside (provenAccesses); of the Flat form only.
  std::vector<tir::VarRef> proven;
  bool allProven = false;  ///< all accesses, through whatever pointer
  /// Divisors that may be zero are marked (withDivisorsMarked); others need no look. Of the Flat form only.
  bool divisorsMarked = false;
};

/// Told of each step that changes a function, by the name of the pass; what is lowered on is what it gives back, the
/// function itself but for the places of its statements.
using LoweringStep = std::function<tir::PrimFuncRef(std::string_view pass, const tir::PrimFuncRef& made)>;

/// The function in that form, by TVM's passes in the order of its default pipeline; the very same one where nothing is
/// left to do. Reductions over nothing get their init values, which TVM leaves unwritten. Fails with what a pass
/// refuses, with what checkPointers does, or pass.cancelled. `step` may be empty.
Result<HostKernel> loweredForHost(const tir::PrimFuncRef& function, HostForm form, const CancelToken& cancel,
                                  const target::TargetRef& target = nullptr, const LoweringStep& step = {});

}  // namespace rx::lower
