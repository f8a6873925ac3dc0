#include "core/codegen/device_functions.h"

#include <algorithm>
#include <vector>

#include "core/codegen/code_numbers.h"
#include "core/tensor/float_functions.h"

namespace rx::codegen {

namespace {

using Numbers = const CodeNumbers&;
using Real = CodeReal;

struct MathRow {
  std::string_view name;
  Real (*one)(Numbers, Real) = nullptr;
  Real (*two)(Numbers, Real, Real) = nullptr;
};
Real copied(Numbers o, Real a, Real b) { return o.copysign(a, b); }
constexpr MathRow kMath[] = {
#define RX_ONE(name) {#name, math::name<CodeNumbers>, nullptr},
#define RX_TWO(name) {#name, nullptr, math::name<CodeNumbers>},
    RX_ONE(exp) RX_ONE(exp2) RX_ONE(exp10) RX_ONE(log) RX_ONE(log2) RX_ONE(log10) RX_ONE(log1p) RX_ONE(sin) RX_ONE(cos)
        RX_ONE(tan) RX_ONE(asin) RX_ONE(acos) RX_ONE(atan) RX_ONE(sinh) RX_ONE(cosh) RX_ONE(tanh) RX_ONE(asinh)
            RX_ONE(acosh) RX_ONE(atanh) RX_ONE(erf) RX_TWO(atan2) RX_TWO(hypot) RX_TWO(fmod) RX_TWO(pow)
#undef RX_ONE
#undef RX_TWO
                {"copysign", nullptr, copied},
};

/// The next number of the same type towards another one: its bits one more or one less.
llvm::Value* nextAfter(llvm::IRBuilder<>& b, llvm::Value* from, llvm::Value* to) {
  llvm::Type* type = from->getType();
  llvm::Type* word = b.getIntNTy(type->getPrimitiveSizeInBits());
  llvm::Constant* zero = llvm::ConstantFP::get(type, 0.0);
  llvm::Value* isZero = b.CreateFCmpOEQ(from, zero);
  llvm::Value* grows = b.CreateICmpEQ(b.CreateFCmpOGT(from, zero), b.CreateFCmpOGT(to, from));
  llvm::Value* one = llvm::ConstantInt::get(word, 1);
  llvm::Value* bits = b.CreateBitCast(from, word);
  llvm::Value* moved = b.CreateBitCast(b.CreateSelect(grows, b.CreateAdd(bits, one), b.CreateSub(bits, one)), type);
  llvm::Value* least = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b.CreateBitCast(one, type), to);
  llvm::Value* made = b.CreateSelect(b.CreateFCmpOEQ(from, to), to, b.CreateSelect(isZero, least, moved));
  return b.CreateSelect(b.CreateFCmpUNO(from, to), b.CreateFAdd(from, to), made);
}

llvm::Value* powerOf(llvm::IRBuilder<>& b, llvm::Function* function) {
  // By squares, 63 times: more than any power has bits.
  llvm::Value *base = function->getArg(0), *left = function->getArg(1);
  llvm::Value *one = b.getInt64(1), *zero = b.getInt64(0), *minusOne = b.getInt64(~uint64_t{0});
  llvm::Value* made = one;
  llvm::Value* factor = base;
  for (int bit = 0; bit < 63; ++bit) {
    llvm::Value* set = b.CreateTrunc(b.CreateLShr(left, b.getInt64(static_cast<uint64_t>(bit))), b.getInt1Ty());
    made = b.CreateSelect(set, b.CreateMul(made, factor), made);
    factor = b.CreateMul(factor, factor);
  }
  llvm::Value* odd = b.CreateTrunc(left, b.getInt1Ty());
  llvm::Value* ofMinusOne = b.CreateSelect(odd, minusOne, one);
  llvm::Value* fraction =
      b.CreateSelect(b.CreateICmpEQ(base, one), one, b.CreateSelect(b.CreateICmpEQ(base, minusOne), ofMinusOne, zero));
  return b.CreateSelect(b.CreateICmpSLT(left, zero), fraction, made);
}

}  // namespace

template <class Body>
llvm::Function* DeviceFunctions::function(const std::string& name, llvm::Type* result,
                                          llvm::ArrayRef<llvm::Type*> params, Body&& body) {
  if (llvm::Function* known = module_.getFunction(name)) return known;
  auto* made = llvm::Function::Create(llvm::FunctionType::get(result, params, false), llvm::Function::InternalLinkage,
                                      name, module_);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module_.getContext(), "entry", made));
  llvm::Value* value = body(builder, made);
  value ? builder.CreateRet(value) : builder.CreateRetVoid();
  return made;
}

llvm::Function* DeviceFunctions::math(const std::string& name) {
  llvm::LLVMContext& context = module_.getContext();
  const auto rowOf = [](std::string_view key) {
    return std::find_if(std::begin(kMath), std::end(kMath), [&](const MathRow& row) { return row.name == key; });
  };
  const bool next = name == "nextafter" || name == "nextafterf";
  const bool wide = name == "nextafter" || rowOf(name) != std::end(kMath);
  const MathRow* row = rowOf(wide ? std::string_view(name) : std::string_view(name).substr(0, name.size() - 1));
  if (!next && (row == std::end(kMath) || (!wide && !name.ends_with('f')))) return nullptr;
  llvm::Type* type = wide ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
  const std::vector<llvm::Type*> params(next || row->two ? 2 : 1, type);
  return function("rx_" + name, type, params, [&](llvm::IRBuilder<>& b, llvm::Function* made) -> llvm::Value* {
    if (next) return nextAfter(b, made->getArg(0), made->getArg(1));
    const CodeNumbers o(b);
    const auto given = [&](unsigned i) { return o.realOf(b.CreateFPCast(made->getArg(i), b.getDoubleTy())); };
    const Real value = row->one ? row->one(o, given(0)) : row->two(o, given(0), given(1));
    return b.CreateFPCast(value.value, type);
  });
}

llvm::Function* DeviceFunctions::ldexp(bool wide) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* type = wide ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
  return function(wide ? "rx_ldexp" : "rx_ldexpf", type, {type, llvm::Type::getInt32Ty(context)},
                  [&](llvm::IRBuilder<>& b, llvm::Function* made) {
                    const CodeNumbers o(b);
                    const CodeInt power = o.wholeOf(b.CreateSExt(made->getArg(1), b.getInt64Ty()));
                    const Real x = o.realOf(b.CreateFPCast(made->getArg(0), b.getDoubleTy()));
                    return b.CreateFPCast(math::ldexp(o, x, power).value, type);
                  });
}

llvm::Function* DeviceFunctions::decode(DataType dtype) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type *single = llvm::Type::getFloatTy(context), *word = llvm::Type::getInt32Ty(context);
  const DataType element = dtype.element();
  return function("rx_from_" + element.str(), single, {word}, [&](llvm::IRBuilder<>& b, llvm::Function* made) {
    const CodeNumbers o(b);
    const CodeInt bits = o.wholeOf(b.CreateZExt(made->getArg(0), b.getInt64Ty()));
    return b.CreateFPTrunc(math::decoded(o, *smallFloatFormat(element), bits).value, single);
  });
}

llvm::Function* DeviceFunctions::encode(DataType dtype) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type *single = llvm::Type::getFloatTy(context), *word = llvm::Type::getInt32Ty(context);
  const DataType element = dtype.element();
  return function("rx_to_" + element.str(), word, {single}, [&](llvm::IRBuilder<>& b, llvm::Function* made) {
    llvm::Value* given = made->getArg(0);
    const CodeNumbers o(b);
    const Real value = o.realOf(b.CreateFPExt(given, b.getDoubleTy()));
    return b.CreateTrunc(math::encoded(o, *smallFloatFormat(element), value).value, word);
  });
}

llvm::Function* DeviceFunctions::power() {
  llvm::Type* word = llvm::Type::getInt64Ty(module_.getContext());
  return function("rx_power", word, {word, word}, powerOf);
}

llvm::Function* DeviceFunctions::fault() {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *word = llvm::Type::getInt64Ty(context);
  llvm::Type* site = llvm::Type::getInt32Ty(context);
  const auto body = [&](llvm::IRBuilder<>& b, llvm::Function* made) -> llvm::Value* {
    llvm::Value* words = made->getArg(0);
    auto* first = llvm::BasicBlock::Create(context, "first", made);
    auto* end = llvm::BasicBlock::Create(context, "end", made);
    llvm::Value* number = b.CreateAdd(made->getArg(1), b.getInt32(1));
    const auto order = llvm::AtomicOrdering::Monotonic;
    llvm::Value* swapped = b.CreateAtomicCmpXchg(words, b.getInt32(0), number, llvm::Align(4), order, order);
    b.CreateCondBr(b.CreateExtractValue(swapped, 1), first, end);
    b.SetInsertPoint(first);
    b.CreateStore(made->getArg(2), b.CreateConstGEP1_64(word, words, 1));
    b.CreateStore(made->getArg(3), b.CreateConstGEP1_64(word, words, 2));
    b.CreateBr(end);
    b.SetInsertPoint(end);
    return nullptr;
  };
  llvm::Function* made = function("rx_fail", llvm::Type::getVoidTy(context), {pointer, site, word, word}, body);
  made->addFnAttr(llvm::Attribute::Cold);
  return made;
}

}  // namespace rx::codegen
