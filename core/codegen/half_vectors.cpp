#include "core/codegen/half_vectors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>

namespace rx::codegen {

namespace {

constexpr const char* kHasHalves = "+avx512fp16";

bool isVectorOfHalves(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getElementType()->isHalfTy();
}

void replace(llvm::Instruction& old, llvm::Value* made) {
  old.replaceAllUsesWith(made);
  old.eraseFromParent();
}

void widen(llvm::FCmpInst& compare) {
  llvm::IRBuilder<> builder(&compare);
  builder.setFastMathFlags(compare.getFastMathFlags());
  llvm::Type* wide =
      llvm::VectorType::get(builder.getFloatTy(), llvm::cast<llvm::VectorType>(compare.getOperand(0)->getType()));
  llvm::Value* a = builder.CreateFPExt(compare.getOperand(0), wide);
  llvm::Value* b = builder.CreateFPExt(compare.getOperand(1), wide);
  replace(compare, builder.CreateFCmp(compare.getPredicate(), a, b));
}

void widen(llvm::SelectInst& select) {
  llvm::IRBuilder<> builder(&select);
  llvm::Type* words = llvm::VectorType::get(builder.getInt16Ty(), llvm::cast<llvm::VectorType>(select.getType()));
  llvm::Value* chosen = builder.CreateSelect(select.getCondition(), builder.CreateBitCast(select.getTrueValue(), words),
                                             builder.CreateBitCast(select.getFalseValue(), words));
  replace(select, builder.CreateBitCast(chosen, select.getType()));
}

}  // namespace

void widenHalfVectors(llvm::Module& module, const llvm::TargetMachine& machine) {
  if (!machine.getTargetTriple().isX86() || machine.getMCSubtargetInfo()->checkFeatures(kHasHalves)) return;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&each);
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&each);
      if (compare && isVectorOfHalves(compare->getOperand(0)->getType())) widen(*compare);
      if (select && isVectorOfHalves(select->getType())) widen(*select);
    }
  }
}

}  // namespace rx::codegen
