#include "core/lower/host_lowering.h"

#include "core/ir/reflect.h"
#include "core/lower/empty_reduction.h"
#include "core/lower/pass_functions.h"
#include "core/lower/pointer_limits.h"
#include "core/lower/proven_accesses.h"
#include "core/lower/zero_division.h"

namespace rx::lower {

namespace {

/// By the name of its row in passes.def.
struct Step {
  const char* name;
  FunctionPass run;
};

/// Of TVM's pipeline, LoopPartition, NarrowDataType, HoistIfThenElse and CommonSubexprElim are left to LLVM, which does
/// as well without them. The first has no row: it is ours.
constexpr Step kToLoops[] = {
    {"InitEmptyReductions", initEmptyReductions},
    {"CanonicalizeLoop", canonicalizeLoop},
    {"LowerInitBlock", lowerInitBlock},
    {"PlanAndUpdateBufferAllocationLocation", planAllocationLocation},
    {"ConvertBlocksToOpaque", convertBlocksToOpaque},
    {"LowerMatchBuffer", lowerMatchBuffer},
    {"LowerOpaqueBlock", lowerOpaqueBlock},
};
constexpr Step kVectorizeLoop = {"VectorizeLoop", vectorizeLoop};
constexpr Step kUnrollLoop = {"UnrollLoop", unrollLoop};
constexpr Step kToFlat[] = {{"FlattenBuffer", flattenBuffer}, kVectorizeLoop, {"StorageRewrite", storageRewrite}};
/// A check is by dimension, and as sharp as the memory of its buffer is its own.
constexpr Step kToVectors[] = {kVectorizeLoop};
constexpr Step kToShort[] = {kUnrollLoop};
/// What can neither wrap nor fault may be computed in another way, or not at all.
constexpr Step kToSimple[] = {kUnrollLoop, {"StmtSimplify", stmtSimplify}, {"RemoveNoOp", removeNoOp}};

Result<tir::PrimFuncRef> through(std::span<const Step> steps, tir::PrimFuncRef function, Scope& scope,
                                 const LoweringStep& told = {}) {
  for (const Step& step : steps) {
    if (scope.context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    RX_TRY(next, step.run(function, scope));
    const bool changed = next != function;
    function = changed && told ? told(step.name, next) : std::move(next);
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
                                  const target::TargetRef& target, const LoweringStep& step) {
  pass::PassContext context;
  context.target = target;
  context.cancel = cancel;
  // These passes look at one function at a time.
  const auto name = make<relax::GlobalVar>(Str("kernel"));
  const ir::Module alone =
      make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{name, function}}, nullptr, nullptr, SourceList{});
  // The options that these passes have. A processor that has no masks takes lanes apart, as loops would.
  const ir::Attrs options =
      ir::withAttr(ir::withAttr(nullptr, "enable_vectorize", ir::boolAttr(true)), "each_lane", ir::boolAttr(true));
  Scope scope{alone, name, options, context};
  RX_TRY(loops, through(kToLoops, function, scope, step));
  RX_CHECK(checkPointers(*loops));
  if (form == HostForm::Loops) {
    RX_CHECK(checkMarkedLoops(loops, scope));
    return HostKernel{loops, {}, false, false};
  }
  AccessProof proof = provenAccesses(*loops);
  // What is said of a division is in the words of the kernel as it is before these passes.
  loops = withDivisorsMarked(loops, proof.doubtfulDivisions);
  RX_TRY(fast, through(proof.flat ? std::span<const Step>(kToFlat) : kToVectors, std::move(loops), scope, step));
  const bool simple = proof.flat && proof.exact && proof.doubtfulDivisions.empty();
  RX_TRY(done, through(simple ? std::span<const Step>(kToSimple) : kToShort, std::move(fast), scope, step));
  return HostKernel{done, std::move(proof.proven), proof.all, true};
}

}  // namespace rx::lower
