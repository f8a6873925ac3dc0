// Barriers in shared memory that count arrivals and bytes, and the copies of blocks that report to them.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/ptx_tensor_rows.h"

namespace rx::codegen {

namespace {

constexpr int64_t kMostBarriers = 1024, kBytes = 8;

std::string barriersOf(const std::string& symbol) { return symbol + "_barriers"; }

}  // namespace

llvm::Value* PtxTensor::createBarriers(PtxEmitter& e, const tir::Call& call) {
  const auto count = tir::asInt(call.args[0]);
  const std::string name = barriersOf(e.deviceKernel_.symbol);
  if (!count || *count <= 0 || *count > kMostBarriers || e.module_.getGlobalVariable(name, /*AllowInternal=*/true))
    return e.refuse(call.span, fmt::format("a kernel creates its barriers once, 1 to {} of them", kMostBarriers));
  auto* type = llvm::ArrayType::get(e.builder_.getInt64Ty(), static_cast<uint64_t>(*count));
  auto* memory =
      new llvm::GlobalVariable(e.module_, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
                               name, nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  memory->setAlignment(llvm::Align(kBytes));
  return nothing(e);
}

/// Its address in shared memory.
llvm::Value* PtxTensor::barrierAt(PtxEmitter& e, const tir::PrimExpr& number) {
  llvm::GlobalVariable* memory = e.module_.getGlobalVariable(barriersOf(e.deviceKernel_.symbol), true);
  if (!memory) return e.refuse(number->span, "barriers are created before they are named");
  llvm::Value* index = e.indexOf(number);
  if (!index) return nullptr;
  llvm::Value* place = e.builder_.CreateGEP(e.builder_.getInt64Ty(), memory, index);
  return e.builder_.CreatePtrToInt(place, e.builder_.getInt32Ty());
}

llvm::Value* PtxTensor::onBarrier(PtxEmitter& e, const tir::Call& call, const std::string& text) {
  llvm::Value* barrier = barrierAt(e, call.args[0]);
  llvm::Value* number = call.args.size() > 1 ? e.indexOf(call.args[1]) : e.i64(0);
  if (!barrier || !number) return nullptr;
  number = e.builder_.CreateTrunc(number, e.builder_.getInt32Ty());
  emit(e, e.builder_.getVoidTy(), {barrier, number}, text, "r,r,~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::beginBarrier(PtxEmitter& e, const tir::Call& call) {
  return onBarrier(e, call, "mbarrier.init.shared.b64 [$0], $1;");
}

llvm::Value* PtxTensor::arrive(PtxEmitter& e, const tir::Call& call) {
  return onBarrier(e, call, "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0]; }");
}

llvm::Value* PtxTensor::arriveWithCopies(PtxEmitter& e, const tir::Call& call) {
  return onBarrier(e, call, "cp.async.mbarrier.arrive.shared.b64 [$0];");
}

llvm::Value* PtxTensor::arriveAndExpect(PtxEmitter& e, const tir::Call& call) {
  return onBarrier(e, call, "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [$0], $1; }");
}

llvm::Value* PtxTensor::awaitPhase(PtxEmitter& e, const tir::Call& call) {
  return onBarrier(e, call, "{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared.b64 p, [$0], $1; @!p bra WAIT; }");
}

llvm::Value* PtxTensor::copyBlock(PtxEmitter& e, const tir::Call& call) {
  const auto bytes = tir::asInt(call.args[4]);
  if (!bytes || *bytes <= 0 || *bytes % 16 != 0)
    return e.refuse(call.span, "a copy of a block is one of a multiple of 16 bytes");
  const int64_t bits = PtxEmitter::elementBytes(call.dtype) * 8;
  llvm::Value* to = place(e, call.args[0], call.args[1], bits);
  llvm::Value* from = place(e, call.args[2], call.args[3], bits);
  llvm::Value* barrier = barrierAt(e, call.args[5]);
  if (!to || !from || !barrier) return nullptr;
  emit(e, e.builder_.getVoidTy(),
       {sharedAddress(e, to), globalAddress(e, from), e.builder_.getInt32(static_cast<uint32_t>(*bytes)), barrier},
       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r,~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::copyTile(PtxEmitter& e, const tir::Call& call) {
  const auto copy = tileCopy(call);
  const auto known = copy ? std::ranges::find(e.tiles_, copy->of) : e.tiles_.end();
  if (known == e.tiles_.end())
    return e.refuse(call.span, "a copy of a box is one of known extents, from memory that the kernel is given");
  const size_t rank = copy->of.map.extents.size();
  llvm::Value* to = place(e, call.args[TileCopy::kTo], call.args[TileCopy::kOffset], call.dtype.bits);
  llvm::Value* barrier = barrierAt(e, call.args[TileCopy::kBarrier]);
  if (!to || !barrier) return nullptr;
  const auto number = e.deviceKernel_.function->params.size() + static_cast<size_t>(known - e.tiles_.begin());
  std::vector<llvm::Value*> given{sharedAddress(e, to), e.function_->getArg(static_cast<unsigned>(number)), barrier};
  std::string at, constraints = "r,l,r";
  for (size_t i = 0; i < rank; ++i) {
    llvm::Value* along = e.indexOf(call.args[copy->places + i]);
    if (!along) return nullptr;
    given.push_back(e.builder_.CreateTrunc(along, e.builder_.getInt32Ty()));
    at += fmt::format("{}${}", i ? ", " : "", 3 + i);
    constraints += ",r";
  }
  emit(e, e.builder_.getVoidTy(), given,
       fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {{{}}}], "
                   "[$2];",
                   rank, at),
       constraints + ",~{memory}");
  return nothing(e);
}

}  // namespace rx::codegen
