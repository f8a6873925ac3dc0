// Checks: what ends a kernel before it reads, writes or computes what it must not.
#include <algorithm>

#include "core/codegen/emitter.h"

namespace rx::codegen {

llvm::Value* Emitter::text(const std::string& message) {
  llvm::Value*& made = texts_[message];
  if (!made) made = builder_.CreateGlobalString(message);
  return made;
}

void Emitter::failWhen(llvm::Value* condition, const std::function<void()>& report) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isZero()) return;
  if (checks_ == Checks::Settled) return;
  if (checks_ == Checks::Ahead) {
    llvm::Value* before = builder_.CreateLoad(builder_.getInt1Ty(), wouldFail_);
    return void(builder_.CreateStore(builder_.CreateOr(before, condition), wouldFail_));
  }
  auto* failing = llvm::BasicBlock::Create(context_, "fail", function_);
  auto* next = llvm::BasicBlock::Create(context_, "next", function_);
  auto* weights = llvm::MDBuilder(context_).createBranchWeights(1, 1 << 20);
  builder_.CreateCondBr(condition, failing, next, weights);
  builder_.SetInsertPoint(failing);
  report();
  builder_.CreateRet(builder_.getInt32(1));
  builder_.SetInsertPoint(next);
}

void Emitter::failWhen(llvm::Value* condition, vm::KernelFault fault, const std::string& message) {
  failWhen(condition, [&] {
    const auto report =
        host("rx_report", builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getInt32Ty(), builder_.getPtrTy()});
    builder_.CreateCall(report, {host_, builder_.getInt32(static_cast<uint32_t>(fault)), text(message)});
  });
}

void Emitter::failNoted(llvm::Value* condition) {
  failWhen(condition, [] {});
}

/// Ends the kernel where a lane that counts is divided by zero.
void Emitter::failAtZero(DataType dtype, llvm::Value* divisor, const std::string& message) {
  llvm::Value* zero = builder_.CreateICmpEQ(divisor, llvm::Constant::getNullValue(divisor->getType()));
  if (llvm::Value* active = lanesOf(nullptr, dtype.lanes)) zero = builder_.CreateAnd(zero, active);
  if (dtype.lanes > 1) zero = builder_.CreateOrReduce(zero);
  failWhen(zero, vm::KernelFault::Division, message);
}

llvm::Value* Emitter::outside(const tir::Buffer& node, const BufferState& state, const LaneAccess& access) {
  auto reaches = [&](llvm::Value* at, llvm::Value* end) {
    if (const auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(at->getType()))
      end = builder_.CreateVectorSplat(lanes->getNumElements(), end);
    return builder_.CreateICmpUGE(at, end);
  };
  llvm::Value* wrong = builder_.getFalse();
  if (access.flat->getType()->isVectorTy())
    wrong = llvm::Constant::getNullValue(llvm::CmpInst::makeCmpResultType(access.flat->getType()));
  // An index counts as unsigned: what is negative is too large. An extent that is negative is none.
  for (size_t axis = 0; axis < access.indices.size(); ++axis) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(state.extents[axis]);
    llvm::Value* extent = known ? i64(std::max<int64_t>(known->getSExtValue(), 0))
                                : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, state.extents[axis], i64(0));
    wrong = builder_.CreateOr(wrong, reaches(access.indices[axis], extent));
  }
  if (!state.whole) {
    llvm::Value* elements = builder_.CreateUDiv(state.memory.limit, i64(elementBytes(node.dtype)));
    wrong = builder_.CreateOr(wrong, reaches(access.flat, elements));
  }
  return access.active ? builder_.CreateAnd(wrong, access.active) : wrong;
}

bool Emitter::checked(const tir::Buffer& node) const {
  auto byAddress = [](const tir::VarRef& a, const tir::VarRef& b) { return a.get() < b.get(); };
  return options_.checkAccess && !kernel_.allProven &&
         !std::binary_search(kernel_.proven.begin(), kernel_.proven.end(), node.data, byAddress);
}

void Emitter::checkAccess(const tir::Buffer& node, const BufferState& state, const std::vector<LaneAccess>& lanes,
                          const LaneAccess* every) {
  if (!checked(node) || checks_ == Checks::Settled) return;
  llvm::Value* wrong = every
                           ? builder_.CreateOrReduce(outside(node, state, *every))
                           : builder_.CreateOr(outside(node, state, lanes.front()), outside(node, state, lanes.back()));
  failAccess(wrong, node, state, lanes);
}

void Emitter::stayInside(const tir::Buffer& node, const BufferState& state, std::vector<LaneAccess>& lanes) {
  const bool hasFirst = state.whole && std::ranges::all_of(state.extents, [](const llvm::Value* extent) {
                          const auto* known = llvm::dyn_cast<llvm::ConstantInt>(extent);
                          return known && known->getSExtValue() > 0;
                        });
  for (LaneAccess& lane : lanes) {
    llvm::Value* inside = builder_.CreateNot(outside(node, state, lane));
    if (hasFirst) {
      lane.flat = builder_.CreateSelect(inside, lane.flat, i64(0));
    } else {
      lane.active = lane.active ? builder_.CreateAnd(lane.active, inside) : inside;
    }
  }
}

void Emitter::failAccess(llvm::Value* condition, const tir::Buffer& node, const BufferState& state,
                         const std::vector<LaneAccess>& lanes) {
  const size_t rank = state.extents.size();
  llvm::Value* words = wordsFor(2 * rank);
  failWhen(condition, [&] {
    // The first lane that is outside is told.
    std::vector<llvm::Value*> told = lanes.back().indices;
    for (size_t lane = lanes.size() - 1; lane-- > 0;) {
      llvm::Value* first = outside(node, state, lanes[lane]);
      for (size_t axis = 0; axis < rank; ++axis)
        told[axis] = builder_.CreateSelect(first, lanes[lane].indices[axis], told[axis]);
    }
    llvm::Type* word = builder_.getInt64Ty();
    llvm::Type* address = builder_.getPtrTy();
    for (size_t axis = 0; axis < rank; ++axis) {
      builder_.CreateStore(told[axis], builder_.CreateConstGEP1_64(word, words, 2 * axis));
      builder_.CreateStore(state.extents[axis], builder_.CreateConstGEP1_64(word, words, 2 * axis + 1));
    }
    builder_.CreateCall(
        host("rx_report_access", builder_.getVoidTy(), {address, address, address, word, word}),
        {host_, text(std::string(node.name.view())), words, i64(static_cast<int64_t>(2 * rank)), state.memory.limit});
  });
}

llvm::Value* Emitter::wordsFor(size_t count) {
  constexpr size_t kUsual = 16;
  if (scratch_.count < std::max<size_t>(count, 1)) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    scratch_.count = std::max(count, kUsual);
    scratch_.words = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt64Ty(), scratch_.count));
  }
  return scratch_.words;
}

}  // namespace rx::codegen
