// Loops that are checked ahead: the elements that data choose in a run of steps are looked at first, without a branch,
// and the steps run after that without looking. A test in each step would keep them from becoming vectors.
#include "core/codegen/emitter.h"

namespace rx::codegen {

namespace {

/// Steps that are checked together: enough to outweigh the one test, few enough that what they read is still near.
constexpr int64_t kStepsChecked = 256;

}  // namespace

void Emitter::steps(const tir::For& node, llvm::Value* first, llvm::Value* extent) {
  if (looksOf(node) == Looks::EachPiece) return inPieces(node, first, extent);
  plainSteps(node, first, extent);
}

void Emitter::plainSteps(const tir::For& node, llvm::Value* first, llvm::Value* extent) {
  if (options_.optLevel > 0 && options_.checkAccess && checks_ == Checks::Here && writtenByOthers_) {
    auto plan = lower::checkedAhead(node, [&](const tir::Buffer& buffer) { return checked(buffer); });
    if (plan) {
      plan->written.insert(plan->written.end(), writtenByOthers_->begin(), writtenByOthers_->end());
      return stepsCheckedAhead(node, first, extent, *plan);
    }
  }
  stepsAs(Checks::Here, node, first, extent);
}

void Emitter::stepsAs(Checks checks, const tir::For& node, llvm::Value* first, llvm::Value* extent) {
  const Checks around = std::exchange(checks_, checks);
  const bool looks = looksOf(node) == Looks::EachStep;
  loop(node.loopVar, first, extent, [&] {
    if (looks) look();
    stmt(node.body);
  });
  checks_ = around;
}

/// Whether nothing that decides is written: no two pieces of memory have a byte in common. What has no limit here is
/// not known.
llvm::Value* Emitter::decidedByOthers(const lower::AheadPlan& plan) {
  llvm::Value* apart = builder_.getTrue();
  for (const tir::VarRef& read : plan.deciding) {
    for (const tir::VarRef& written : plan.written) {
      const auto a = known(*read), b = known(*written);
      if (!a || !b) return builder_.getFalse();
      auto before = [&](const Pointer& one, const Pointer& other) {
        llvm::Value* start = builder_.CreatePtrToInt(one.base, builder_.getInt64Ty());
        return builder_.CreateICmpULE(builder_.CreateAdd(start, one.limit),
                                      builder_.CreatePtrToInt(other.base, builder_.getInt64Ty()));
      };
      apart = builder_.CreateAnd(apart, builder_.CreateOr(before(*a, *b), before(*b, *a)));
    }
  }
  return apart;
}

void Emitter::stepsCheckedAhead(const tir::For& node, llvm::Value* first, llvm::Value* extent,
                                const lower::AheadPlan& plan) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::Value* wouldFail = entry.CreateAlloca(builder_.getInt1Ty());
  llvm::Value* possible = decidedByOthers(plan);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(extent);
  const int64_t width = known ? std::clamp<int64_t>(known->getSExtValue(), 1, kStepsChecked) : kStepsChecked;
  auto number = [&](int64_t value) { return llvm::ConstantInt::get(extent->getType(), static_cast<uint64_t>(value)); };
  const DataType type = node.loopVar->dtype;
  llvm::Value* whole =
      type.isUInt() ? builder_.CreateUDiv(extent, number(width)) : builder_.CreateSDiv(extent, number(width));
  llvm::Value* rest = builder_.CreateSub(extent, builder_.CreateMul(whole, number(width)));
  const auto run = make<tir::Var>(Str("run"), type);
  loop(run, number(0), whole, [&] {
    llvm::Value* begin = builder_.CreateAdd(first, builder_.CreateMul(vars_[run.get()], number(width)));
    builder_.CreateStore(builder_.CreateNot(possible), wouldFail);
    llvm::Value* outer = std::exchange(wouldFail_, wouldFail);
    ifThen(possible, [&] { stepsAs(Checks::Ahead, node, begin, number(width)); });
    wouldFail_ = outer;
    ifThen(
        builder_.CreateLoad(builder_.getInt1Ty(), wouldFail),
        [&] { stepsAs(Checks::Here, node, begin, number(width)); },
        [&] { stepsAs(Checks::Settled, node, begin, number(width)); });
  });
  stepsAs(Checks::Here, node, builder_.CreateAdd(first, builder_.CreateMul(whole, number(width))), rest);
}

}  // namespace rx::codegen
