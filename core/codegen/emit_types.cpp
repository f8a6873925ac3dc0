// Data types in registers and in memory. bool is i1 in a register and a byte in memory; bfloat16 and the 8-bit floats
// are computed as float and rounded after each operation, bfloat16 in every lane at once.
#include <llvm/TargetParser/Triple.h>

#include "core/codegen/emitter.h"

namespace rx::codegen {

bool Emitter::emulated(DataType dtype) { return dtype.isFloat() && dtype.code != TypeCode::Float; }

llvm::Type* Emitter::registerType(DataType dtype) {
  llvm::Type* element = nullptr;
  if (dtype.isHandle() || dtype.isVoid()) {
    element = builder_.getPtrTy();
  } else if (dtype.isBool()) {
    element = builder_.getInt1Ty();
  } else if (dtype.isIntegral()) {
    element = builder_.getIntNTy(dtype.bits);
  } else if (dtype.code == TypeCode::Float && dtype.bits == 16) {
    element = builder_.getHalfTy();
  } else if (dtype.code == TypeCode::Float && dtype.bits == 64) {
    element = builder_.getDoubleTy();
  } else {
    element = builder_.getFloatTy();
  }
  return dtype.lanes > 1 ? llvm::FixedVectorType::get(element, static_cast<unsigned>(dtype.lanes)) : element;
}

llvm::Type* Emitter::memoryType(DataType dtype) {
  if (dtype.isHandle()) return builder_.getPtrTy();
  if (dtype.code == TypeCode::Float) return registerType(dtype.element());
  return builder_.getIntNTy(static_cast<unsigned>(std::max<int64_t>(dtype.element().bytes(), 1) * 8));
}

namespace {
bool isBfloat(DataType dtype) { return dtype.code == TypeCode::BFloat; }

llvm::Value* typeNumber(llvm::IRBuilder<>& builder, DataType dtype) {
  return builder.getInt32(static_cast<uint32_t>(dtype.code) << 8 | dtype.bits);
}
}  // namespace

llvm::Value* Emitter::fromMemory(llvm::Value* raw, DataType dtype) {
  if (dtype.isBool()) return builder_.CreateICmpNE(raw, llvm::ConstantInt::get(raw->getType(), 0));
  if (emulated(dtype)) return decoded(builder_.CreateZExt(raw, wordsLike(raw)), dtype);
  if (dtype.isIntegral() && dtype.bits < 8) return builder_.CreateTrunc(raw, registerType(dtype));
  return raw;
}

llvm::Value* Emitter::toMemory(llvm::Value* value, DataType dtype) {
  if (dtype.isBool()) return builder_.CreateZExt(value, memoryType(dtype));
  if (emulated(dtype)) {
    llvm::Value* bits = encoded(value, dtype);
    return builder_.CreateTrunc(bits, bits->getType()->getWithNewType(memoryType(dtype)));
  }
  if (dtype.isIntegral() && dtype.bits < 8) return builder_.CreateZExt(value, memoryType(dtype));
  return value;
}

llvm::Type* Emitter::wordsLike(llvm::Value* value) { return value->getType()->getWithNewType(builder_.getInt32Ty()); }

/// bfloat16 is the upper half of a float32, in every lane.
llvm::Value* Emitter::decoded(llvm::Value* bits, DataType dtype) {
  if (isBfloat(dtype))
    return builder_.CreateBitCast(builder_.CreateShl(bits, 16), bits->getType()->getWithNewType(builder_.getFloatTy()));
  const auto decode = host("rx_decode_float", builder_.getFloatTy(), {builder_.getInt32Ty(), builder_.getInt32Ty()});
  return builder_.CreateCall(decode, {typeNumber(builder_, dtype), bits});
}

llvm::Value* Emitter::encoded(llvm::Value* value, DataType dtype) {
  if (isBfloat(dtype)) {
    // What is cut off rounds to the nearest, of two to the even one.
    constexpr uint64_t kHalf = 0x7fff, kNoNumber = 0x7fc0;
    llvm::Type* words = wordsLike(value);
    const auto word = [&](uint64_t bits) { return llvm::ConstantInt::get(words, bits); };
    llvm::Value* bits = builder_.CreateBitCast(value, words);
    llvm::Value* odd = builder_.CreateAnd(builder_.CreateLShr(bits, 16), word(1));
    llvm::Value* up = builder_.CreateAdd(builder_.CreateAdd(bits, odd), word(kHalf));
    return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), word(kNoNumber), builder_.CreateLShr(up, 16));
  }
  const auto encode = host("rx_encode_float", builder_.getInt32Ty(), {builder_.getInt32Ty(), builder_.getFloatTy()});
  return builder_.CreateCall(encode, {typeNumber(builder_, dtype), value});
}

llvm::Value* Emitter::nearest(llvm::Value* value, DataType dtype) {
  if (isBfloat(dtype)) return decoded(encoded(value, dtype), dtype);
  const auto round = host("rx_round_float", builder_.getFloatTy(), {builder_.getInt32Ty(), builder_.getFloatTy()});
  return builder_.CreateCall(round, {typeNumber(builder_, dtype), value});
}

llvm::Value* Emitter::rounded(llvm::Value* value, DataType dtype) {
  if (!emulated(dtype)) return value;
  if (dtype.lanes == 1 || isBfloat(dtype)) return nearest(value, dtype);
  llvm::Value* result = value;
  for (int lane = 0; lane < dtype.lanes; ++lane) {
    llvm::Value* one = nearest(builder_.CreateExtractElement(value, static_cast<uint64_t>(lane)), dtype);
    result = builder_.CreateInsertElement(result, one, static_cast<uint64_t>(lane));
  }
  return result;
}

/// What LLVM's intrinsic for it does too; of that, it makes one element at a time for processors.
llvm::Value* Emitter::saturated(llvm::Value* value, DataType to) {
  llvm::Type* type = registerType(to);
  if (value->getType()->getScalarType()->isHalfTy())
    value = builder_.CreateFPCast(value, value->getType()->getWithNewType(builder_.getFloatTy()));
  const auto bits = static_cast<unsigned>(to.bits);
  const bool isSigned = to.isInt();
  const llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  // The numbers next to these inside, as there may be none that are the same.
  llvm::APFloat low(value->getType()->getScalarType()->getFltSemantics()), high = low;
  low.convertFromAPInt(least, isSigned, llvm::APFloat::rmTowardZero);
  const bool exact = high.convertFromAPInt(most, isSigned, llvm::APFloat::rmTowardZero) == llvm::APFloat::opOK;
  llvm::Value *lowest = llvm::ConstantFP::get(value->getType(), low),
              *highest = llvm::ConstantFP::get(value->getType(), high);
  llvm::Value* inside = builder_.CreateSelect(builder_.CreateFCmpOGT(value, lowest), value, lowest);
  inside = builder_.CreateSelect(builder_.CreateFCmpOLT(inside, highest), inside, highest);
  llvm::Value* made = isSigned ? builder_.CreateFPToSI(inside, type) : builder_.CreateFPToUI(inside, type);
  if (!exact)
    made = builder_.CreateSelect(builder_.CreateFCmpOGT(value, highest), llvm::ConstantInt::get(type, most), made);
  // Without a sign the least number is the zero that NaN has become.
  if (!isSigned) return made;
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(type), made);
}

/// Integers wrap; floats to integers saturate, NaN is zero.
llvm::Value* Emitter::convert(llvm::Value* value, DataType from, DataType to) {
  if (from == to) return value;
  llvm::Type* type = registerType(to);
  if (to.isBool()) {
    llvm::Constant* zero = llvm::Constant::getNullValue(value->getType());
    return from.isFloat()    ? builder_.CreateFCmpUNE(value, zero)
           : from.isHandle() ? builder_.CreateICmpNE(value, zero)
                             : builder_.CreateICmpNE(value, zero);
  }
  if (from.isHandle() && to.isHandle()) return value;
  if (from.isHandle()) return builder_.CreatePtrToInt(value, type);
  if (to.isHandle()) return builder_.CreateIntToPtr(value, type);
  if (from.isFloat() && to.isFloat()) return rounded(builder_.CreateFPCast(value, type), to);
  if (from.isFloat() && llvm::Triple(module_.getTargetTriple()).isX86()) return saturated(value, to);
  if (from.isFloat()) {
    const auto id = to.isInt() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return builder_.CreateIntrinsic(id, {type, value->getType()}, {value});
  }
  const bool isSigned = from.isInt();
  if (to.isFloat())
    return rounded(isSigned ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type), to);
  return isSigned ? builder_.CreateSExtOrTrunc(value, type) : builder_.CreateZExtOrTrunc(value, type);
}

llvm::Value* Emitter::number(DataType dtype, double value) { return llvm::ConstantFP::get(registerType(dtype), value); }

llvm::Value* Emitter::index(llvm::Value* value, DataType dtype) {
  llvm::Type* type = builder_.getInt64Ty();
  if (dtype.lanes > 1) type = llvm::FixedVectorType::get(type, static_cast<unsigned>(dtype.lanes));
  if (!dtype.isIntegral()) {
    refuse({}, "sizes and indices are integers, not " + dtype.str());
    return llvm::PoisonValue::get(type);
  }
  return dtype.isInt() ? builder_.CreateSExtOrTrunc(value, type) : builder_.CreateZExtOrTrunc(value, type);
}

llvm::FunctionCallee Emitter::host(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> params) {
  return module_.getOrInsertFunction(
      name, llvm::FunctionType::get(result, llvm::ArrayRef<llvm::Type*>(params.begin(), params.size()), false));
}

llvm::Value* Emitter::refuse(Span span, const std::string& what) {
  constexpr size_t kMaxDiagnostics = 20;
  if (diagnostics_.size() < kMaxDiagnostics) diagnostics_.push_back(errorAt(span, "codegen.unsupported", what));
  return nullptr;
}

}  // namespace rx::codegen
