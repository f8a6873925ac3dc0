// Arithmetic, comparison and logic.
#include "core/codegen/emitter.h"
#include "core/ir/reflect.h"
#include "core/lower/zero_division.h"

namespace rx::codegen {
namespace {

/// True where evaluating the expression can fault or costs a call, so that it must not run when it is not needed.
bool needsGuard(const tir::PrimExpr& expr) {
  bool found = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* binary = as<tir::BinaryNode>(&node);
    found =
        found || isa<tir::BufferLoad>(&node) || isa<tir::Call>(&node) || (binary && lower::mayDivideByZero(*binary));
    return !found && !isa<tir::Buffer>(&node);
  });
  return found;
}

}  // namespace

llvm::Value* Emitter::binary(const tir::BinaryNode& node) {
  const bool logic = node.kind() == Kind::tir_And || node.kind() == Kind::tir_Or;
  if (logic && node.dtype.lanes == 1 && needsGuard(node.b)) return shortCircuit(node);
  llvm::Value* a = expr(node.a);
  if (!a) return nullptr;
  // The right side counts in the lanes that the left one does not decide.
  llvm::Value* b =
      !logic ? expr(node.b)
             : inLanes(node.kind() == Kind::tir_And ? a : builder_.CreateNot(a), [&] { return expr(node.b); });
  if (!b) return nullptr;
  if (a->getType() != b->getType()) {
    return refuse(node.span, fmt::format("the sides of {} have the types {} and {}", kindName(node.kind()),
                                         node.a->dtype.str(), node.b->dtype.str()));
  }
  if (!kernel_.divisorsMarked && lower::mayDivideByZero(node))
    failAtZero(node.b->dtype, b, lower::zeroDivisionText(node));
  return combine(node.kind(), node.a->dtype, a, b);
}

llvm::Value* Emitter::combine(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b) {
  using Op = llvm::Instruction::BinaryOps;
  struct Row {
    Kind kind;
    Op onInt, onFloat;
  };
  static constexpr Row kRows[] = {
      {Kind::tir_Add, Op::Add, Op::FAdd}, {Kind::tir_Sub, Op::Sub, Op::FSub}, {Kind::tir_Mul, Op::Mul, Op::FMul},
      {Kind::tir_And, Op::And, Op::And},  {Kind::tir_Or, Op::Or, Op::Or},
  };
  for (const Row& row : kRows) {
    if (row.kind == kind) return rounded(builder_.CreateBinOp(dtype.isFloat() ? row.onFloat : row.onInt, a, b), dtype);
  }
  if (kind == Kind::tir_Min) return builder_.CreateSelect(compare(Kind::tir_LT, dtype, a, b), a, b);
  if (kind == Kind::tir_Max) return builder_.CreateSelect(compare(Kind::tir_GT, dtype, a, b), a, b);
  if (kind >= Kind::tir_EQ && kind <= Kind::tir_GE) return compare(kind, dtype, a, b);
  return divide(kind, dtype, a, b);
}

llvm::Value* Emitter::compare(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  struct Row {
    Kind kind;
    P onSigned, onUnsigned, onFloat;
  };
  static constexpr Row kRows[] = {
      {Kind::tir_EQ, P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},   {Kind::tir_NE, P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
      {Kind::tir_LT, P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT}, {Kind::tir_LE, P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
      {Kind::tir_GT, P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT}, {Kind::tir_GE, P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
  };
  for (const Row& row : kRows) {
    if (row.kind == kind)
      return builder_.CreateCmp(dtype.isFloat() ? row.onFloat : dtype.isInt() ? row.onSigned : row.onUnsigned, a, b);
  }
  return nullptr;
}

/// Emits what counts only in those lanes of a vector, of the ones that count here; in all of them for a scalar.
llvm::Value* Emitter::inLanes(llvm::Value* lanes, const std::function<llvm::Value*()>& emit) {
  if (!lanes->getType()->isVectorTy()) return emit();
  const bool narrows = activeLanes_ && activeLanes_->getType() == lanes->getType();
  llvm::Value* outer = std::exchange(activeLanes_, narrows ? builder_.CreateAnd(activeLanes_, lanes) : lanes);
  llvm::Value* value = emit();
  activeLanes_ = outer;
  return value;
}

/// Division that never traps: by zero, which only lanes that do not count are divided by, it gives the dividend (its
/// remainder zero), and the smallest integer by -1 wraps.
llvm::Value* Emitter::divide(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b) {
  const bool remainder = kind == Kind::tir_Mod || kind == Kind::tir_FloorMod;
  const bool floors = kind == Kind::tir_FloorDiv || kind == Kind::tir_FloorMod;
  if (dtype.isFloat()) {
    if (kind == Kind::tir_Mod) return mathCall("fmod", dtype, {a, b});
    llvm::Value* quotient = builder_.CreateFDiv(a, b);
    if (floors) quotient = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
    if (remainder) quotient = builder_.CreateFSub(a, builder_.CreateFMul(quotient, b));
    return rounded(quotient, dtype);
  }
  llvm::Constant* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Constant* one = llvm::ConstantInt::get(a->getType(), 1);
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b);
  if (!dtype.isInt()) {
    const bool never = constant && !constant->isZero();
    llvm::Value* safe = never ? b : builder_.CreateSelect(builder_.CreateICmpEQ(b, zero), one, b);
    return remainder ? builder_.CreateURem(a, safe) : builder_.CreateUDiv(a, safe);
  }
  llvm::Constant* minusOne = llvm::Constant::getAllOnesValue(a->getType());
  const bool plain = constant && !constant->isZero() && !constant->isMinusOne();
  llvm::Value* negates = plain ? nullptr : builder_.CreateICmpEQ(b, minusOne);
  llvm::Value* safe =
      plain ? b : builder_.CreateSelect(builder_.CreateOr(negates, builder_.CreateICmpEQ(b, zero)), one, b);
  llvm::Value* quotient = builder_.CreateSDiv(a, safe);
  if (!plain) quotient = builder_.CreateSelect(negates, builder_.CreateNeg(a), quotient);
  llvm::Value* rest = builder_.CreateSRem(a, safe);
  if (!floors) return remainder ? rest : quotient;
  // Truncation and floor differ where the remainder is not zero and has another sign than the divisor.
  llvm::Value* differs = builder_.CreateAnd(builder_.CreateICmpNE(rest, zero),
                                            builder_.CreateICmpSLT(builder_.CreateXor(rest, safe), zero));
  if (remainder) return builder_.CreateSelect(differs, builder_.CreateAdd(rest, safe), rest);
  return builder_.CreateSelect(differs, builder_.CreateSub(quotient, one), quotient);
}

llvm::Value* Emitter::shortCircuit(const tir::BinaryNode& node) {
  return node.kind() == Kind::tir_And ? choose(node.a, node.b, tir::boolImm(false))
                                      : choose(node.a, tir::boolImm(true), node.b);
}

/// Only the chosen side runs.
llvm::Value* Emitter::choose(const tir::PrimExpr& condition, const tir::PrimExpr& yes, const tir::PrimExpr& no) {
  llvm::Value* test = expr(condition);
  if (!test) return nullptr;
  if (!condition->dtype.isBool()) test = convert(test, condition->dtype, DataType::Bool());
  auto* yesBlock = llvm::BasicBlock::Create(context_, "yes", function_);
  auto* noBlock = llvm::BasicBlock::Create(context_, "no", function_);
  auto* join = llvm::BasicBlock::Create(context_, "join", function_);
  builder_.CreateCondBr(test, yesBlock, noBlock);
  builder_.SetInsertPoint(yesBlock);
  llvm::Value* a = expr(yes);
  auto* yesEnd = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(noBlock);
  llvm::Value* b = expr(no);
  auto* noEnd = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  if (!a || !b) return nullptr;
  if (a->getType() != b->getType()) return refuse(yes->span, "the two values of a choice have different types");
  auto* phi = builder_.CreatePHI(a->getType(), 2);
  phi->addIncoming(a, yesEnd);
  phi->addIncoming(b, noEnd);
  return phi;
}

}  // namespace rx::codegen
