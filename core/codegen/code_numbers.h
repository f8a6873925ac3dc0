// Numbers of code that is being generated: the operations that core/tensor/float_functions.h is written over, as LLVM's instructions.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace rx::codegen {

/// What all of them are: a value, and what makes more.
struct CodeValue {
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Value* value = nullptr;
};

struct CodeBool : CodeValue {};

struct CodeInt : CodeValue {
  CodeInt made(llvm::Value* v) const { return {{builder, v}}; }
  llvm::Value* same(int64_t v) const {
    return llvm::ConstantInt::get(value->getType(), static_cast<uint64_t>(v), true);
  }
  CodeBool compared(llvm::CmpInst::Predicate how, llvm::Value* other) const {
    return {{builder, builder->CreateICmp(how, value, other)}};
  }
};

struct CodeReal : CodeValue {
  CodeReal made(llvm::Value* v) const { return {{builder, v}}; }
  llvm::Value* same(double v) const { return llvm::ConstantFP::get(value->getType(), v); }
  CodeBool compared(llvm::CmpInst::Predicate how, llvm::Value* other) const {
    return {{builder, builder->CreateFCmp(how, value, other)}};
  }
  CodeReal operator-() const { return made(builder->CreateFNeg(value)); }
};

#define RX_CODE_OPERATOR(Type, Number, sign, create)                                                    \
  inline Type operator sign(Type a, Type b) { return a.made(a.builder->create(a.value, b.value)); }     \
  inline Type operator sign(Type a, Number b) { return a.made(a.builder->create(a.value, a.same(b))); } \
  inline Type operator sign(Number a, Type b) { return b.made(b.builder->create(b.same(a), b.value)); }
RX_CODE_OPERATOR(CodeReal, double, +, CreateFAdd)
RX_CODE_OPERATOR(CodeReal, double, -, CreateFSub)
RX_CODE_OPERATOR(CodeReal, double, *, CreateFMul)
RX_CODE_OPERATOR(CodeReal, double, /, CreateFDiv)
RX_CODE_OPERATOR(CodeInt, int64_t, +, CreateAdd)
RX_CODE_OPERATOR(CodeInt, int64_t, -, CreateSub)
RX_CODE_OPERATOR(CodeInt, int64_t, &, CreateAnd)
RX_CODE_OPERATOR(CodeInt, int64_t, |, CreateOr)
RX_CODE_OPERATOR(CodeInt, int64_t, <<, CreateShl)
RX_CODE_OPERATOR(CodeInt, int64_t, >>, CreateAShr)
#undef RX_CODE_OPERATOR

#define RX_CODE_COMPARE(sign, onReal, onInt)                                                                   \
  inline CodeBool operator sign(CodeReal a, CodeReal b) { return a.compared(llvm::CmpInst::onReal, b.value); } \
  inline CodeBool operator sign(CodeReal a, double b) { return a.compared(llvm::CmpInst::onReal, a.same(b)); } \
  inline CodeBool operator sign(CodeInt a, int64_t b) { return a.compared(llvm::CmpInst::onInt, a.same(b)); }
RX_CODE_COMPARE(<, FCMP_OLT, ICMP_SLT)
RX_CODE_COMPARE(<=, FCMP_OLE, ICMP_SLE)
RX_CODE_COMPARE(>, FCMP_OGT, ICMP_SGT)
RX_CODE_COMPARE(>=, FCMP_OGE, ICMP_SGE)
RX_CODE_COMPARE(==, FCMP_OEQ, ICMP_EQ)
#undef RX_CODE_COMPARE

/// The operations, as instructions at the place of a builder. Numbers are float64 and int64.
class CodeNumbers {
 public:
  using Real = CodeReal;
  using Int = CodeInt;
  explicit CodeNumbers(llvm::IRBuilder<>& builder) : builder_(builder) {}
  CodeReal real(double value) const { return realOf(llvm::ConstantFP::get(builder_.getDoubleTy(), value)); }
  CodeReal realOf(llvm::Value* value) const { return {{&builder_, value}}; }
  CodeInt whole(int64_t value) const { return wholeOf(builder_.getInt64(static_cast<uint64_t>(value))); }
  CodeInt wholeOf(llvm::Value* value) const { return {{&builder_, value}}; }
  template <class T>
  T select(CodeBool condition, T yes, T no) const {
    return yes.made(builder_.CreateSelect(condition.value, yes.value, no.value));
  }
  CodeReal fma(CodeReal a, CodeReal b, CodeReal c) const {
    return realOf(builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()}, {a.value, b.value, c.value}));
  }
  CodeReal sqrt(CodeReal x) const { return unary(llvm::Intrinsic::sqrt, x); }
  CodeReal abs(CodeReal x) const { return unary(llvm::Intrinsic::fabs, x); }
  CodeReal rint(CodeReal x) const { return unary(llvm::Intrinsic::nearbyint, x); }
  CodeReal trunc(CodeReal x) const { return unary(llvm::Intrinsic::trunc, x); }
  CodeReal copysign(CodeReal x, CodeReal sign) const {
    return realOf(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x.value, sign.value));
  }
  CodeInt bits(CodeReal x) const { return wholeOf(builder_.CreateBitCast(x.value, builder_.getInt64Ty())); }
  CodeReal ofBits(CodeInt bits) const { return realOf(builder_.CreateBitCast(bits.value, builder_.getDoubleTy())); }
  CodeInt toInt(CodeReal x) const { return wholeOf(builder_.CreateFPToSI(x.value, builder_.getInt64Ty())); }
  CodeReal toReal(CodeInt x) const { return realOf(builder_.CreateSIToFP(x.value, builder_.getDoubleTy())); }

 private:
  CodeReal unary(llvm::Intrinsic::ID id, CodeReal x) const {
    return realOf(builder_.CreateUnaryIntrinsic(id, x.value));
  }
  llvm::IRBuilder<>& builder_;
};

}  // namespace rx::codegen
