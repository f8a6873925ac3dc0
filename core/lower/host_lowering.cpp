#include "core/lower/host_lowering.h"

#include "core/lower/empty_reduction.h"
#include "core/lower/pass_functions.h"
#include "core/lower/proven_accesses.h"

namespace rx::lower {

namespace {

/// Each is the function behind a row of passes.def, but for the first. Of TVM's pipeline, LoopPartition,
/// NarrowDataType, HoistIfThenElse and CommonSubexprElim are left to LLVM, which does as well without them.
constexpr FunctionPass kToLoops[] = {
    initEmptyReductions,   canonicalizeLoop, lowerInitBlock,   planAllocationLocation,
    convertBlocksToOpaque, lowerMatchBuffer, lowerOpaqueBlock,
};
constexpr FunctionPass kToFlat[] = {flattenBuffer, vectorizeLoop};
constexpr FunctionPass kShareStorage[] = {storageRewrite};
constexpr FunctionPass kToShort[] = {unrollLoop, stmtSimplify, removeNoOp};

Result<tir::PrimFuncRef> through(std::span<const FunctionPass> passes, tir::PrimFuncRef function, Scope& scope) {
  for (const FunctionPass pass : passes) {
    if (scope.context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    RX_TRY(next, pass(function, scope));
    function = std::move(next);
  }
  return function;
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
  if (form == HostForm::Loops) return HostKernel{loops, {}};
  AccessProof proof = provenAccesses(*loops);
  RX_TRY(flat, through(kToFlat, std::move(loops), scope));
  // A check is as sharp as the memory of its buffer is its own.
  if (proof.all) {
    RX_TRY(shared, through(kShareStorage, std::move(flat), scope));
    flat = std::move(shared);
  }
  RX_TRY(done, through(kToShort, std::move(flat), scope));
  return HostKernel{done, std::move(proof.proven)};
}

}  // namespace rx::lower
