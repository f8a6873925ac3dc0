#include "core/lower/host_lowering.h"

#include "core/ir/reflect.h"
#include "core/lower/empty_reduction.h"
#include "core/lower/pass_functions.h"
#include "core/lower/pointer_limits.h"
#include "core/lower/proven_accesses.h"
#include "core/lower/zero_division.h"

namespace rx::lower {

namespace {

/// Each is the function behind a row of passes.def, but for the first. Of TVM's pipeline, LoopPartition,
/// NarrowDataType, HoistIfThenElse and CommonSubexprElim are left to LLVM, which does as well without them.
constexpr FunctionPass kToLoops[] = {
    initEmptyReductions,   canonicalizeLoop, lowerInitBlock,   planAllocationLocation,
    convertBlocksToOpaque, lowerMatchBuffer, lowerOpaqueBlock,
};
constexpr FunctionPass kToFlat[] = {flattenBuffer, vectorizeLoop, storageRewrite};
/// A check is by dimension, and as sharp as the memory of its buffer is its own.
constexpr FunctionPass kToVectors[] = {vectorizeLoop};
constexpr FunctionPass kToShort[] = {unrollLoop};
/// What can neither wrap nor fault may be computed in another way, or not at all.
constexpr FunctionPass kToSimple[] = {unrollLoop, stmtSimplify, removeNoOp};

Result<tir::PrimFuncRef> through(std::span<const FunctionPass> passes, tir::PrimFuncRef function, Scope& scope) {
  for (const FunctionPass pass : passes) {
    if (scope.context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    RX_TRY(next, pass(function, scope));
    function = std::move(next);
  }
  return function;
}

bool isMarked(const Node& node) {
  const auto* loop = as<tir::For>(&node);
  return loop && (loop->forKind == tir::ForKind::Vectorized || loop->forKind == tir::ForKind::Unrolled);
}

/// A loop that release could not make vectors or copies of is none when it is stepped either: those passes are asked,
/// and what they make is not used.
Result<Unit> checkMarkedLoops(const tir::PrimFuncRef& loops, Scope& scope) {
  bool marked = false;
  walk(*loops->body, Into::Parts, [&](const Node& node) {
    marked = marked || isMarked(node);
    return !marked && !isa<tir::ExprNode>(&node);
  });
  if (!marked) return Unit{};
  RX_TRY(vectors, through(kToVectors, loops, scope));
  RX_CHECK(through(kToShort, std::move(vectors), scope));
  return Unit{};
}

}  // namespace

Result<HostKernel> loweredForHost(const tir::PrimFuncRef& function, HostForm form, const CancelToken& cancel,
                                  const target::TargetRef& target) {
  pass::PassContext context;
  context.target = target;
  context.cancel = cancel;
  // These passes look at one function at a time.
  const auto name = make<relax::GlobalVar>(Str("kernel"));
  const ir::Module alone =
      make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{name, function}}, nullptr, nullptr, SourceList{});
  // The one option that these passes have.
  const ir::Attrs options = ir::withAttr(nullptr, "enable_vectorize", ir::boolAttr(true));
  Scope scope{alone, name, options, context};
  RX_TRY(loops, through(kToLoops, function, scope));
  RX_CHECK(checkPointers(*loops));
  if (form == HostForm::Loops) {
    RX_CHECK(checkMarkedLoops(loops, scope));
    return HostKernel{loops, {}, false, false};
  }
  AccessProof proof = provenAccesses(*loops);
  // What is said of a division is in the words of the kernel as it is before these passes.
  loops = withDivisorsMarked(loops, proof.doubtfulDivisions);
  RX_TRY(fast, through(proof.flat ? std::span<const FunctionPass>(kToFlat) : kToVectors, std::move(loops), scope));
  const bool simple = proof.flat && proof.exact && proof.doubtfulDivisions.empty();
  RX_TRY(done, through(simple ? std::span<const FunctionPass>(kToSimple) : kToShort, std::move(fast), scope));
  return HostKernel{done, std::move(proof.proven), proof.all, true};
}

}  // namespace rx::lower
