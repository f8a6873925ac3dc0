// Calls of intrinsics, by one table; and of packed functions, through the host.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/codegen/emitter.h"
#include "core/codegen/llvm_module.h"
#include "core/runtime/kernel_arithmetic.h"
#include "core/runtime/kernel_host.h"

namespace rx::codegen {

/// The handlers that the rows of the table name.
struct Intrinsics {
  using Args = const Array<tir::PrimExpr>&;
  struct Row {
    std::string_view name;
    llvm::Value* (*emit)(Emitter& e, const tir::Call& call, const Row& row);
    int minArgs = 1;
    const char* function = nullptr;  ///< C library name without the f of the float form
    unsigned id = 0;                 ///< LLVM's intrinsic
  };
  static const Row* find(std::string_view name);
  static std::span<const Row> rows();

  static std::vector<llvm::Value*> values(Emitter& e, Args args) {
    std::vector<llvm::Value*> result;
    for (const tir::PrimExpr& arg : args) {
      result.push_back(e.expr(arg));
      if (!result.back()) return {};
    }
    return result;
  }
  /// Refuses operands of a type that the intrinsic has no meaning for.
  static bool takes(Emitter& e, const tir::Call& call, bool meant, const char* what) {
    if (!meant)
      e.refuse(call.span, fmt::format("{} takes {}, not {}", as<relax::Op>(call.op)->name.view(), what,
                                      call.args[0]->dtype.str()));
    return meant;
  }
  static bool takesFloats(Emitter& e, const tir::Call& call) {
    return takes(e, call, call.args[0]->dtype.isFloat(), "floating-point numbers");
  }
  static bool takesIntegers(Emitter& e, const tir::Call& call) {
    return takes(e, call, !call.args[0]->dtype.isFloat(), "integers");
  }
  static llvm::Value* math(Emitter& e, const tir::Call& call, const Row& row) {
    if (!takesFloats(e, call)) return nullptr;
    auto args = values(e, call.args);
    return args.empty() ? nullptr : e.mathCall(row.function, call.dtype, std::move(args));
  }
  static llvm::Value* unary(Emitter& e, const tir::Call& call, const Row& row) {
    llvm::Value* value = e.expr(call.args[0]);
    if (!value) return nullptr;
    if (!call.dtype.isFloat()) return value;  // rounding an integer
    return e.rounded(e.builder_.CreateUnaryIntrinsic(row.id, value), call.dtype);
  }
  static llvm::Value* absolute(Emitter& e, const tir::Call& call, const Row&) {
    llvm::Value* value = e.expr(call.args[0]);
    if (!value || call.dtype.isUInt()) return value;
    if (call.dtype.isFloat()) return e.builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    return e.builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, e.builder_.getFalse());
  }
  static llvm::Value* root(Emitter& e, const tir::Call& call, const Row& row) {
    return takesFloats(e, call) ? unary(e, call, row) : nullptr;
  }
  static llvm::Value* rsqrt(Emitter& e, const tir::Call& call, const Row&) {
    llvm::Value* value = takesFloats(e, call) ? e.expr(call.args[0]) : nullptr;
    if (!value) return nullptr;
    llvm::Value* root = e.builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value);
    return e.rounded(e.builder_.CreateFDiv(e.number(call.dtype, 1), root), call.dtype);
  }
  static llvm::Value* sigmoid(Emitter& e, const tir::Call& call, const Row&) {
    llvm::Value* value = takesFloats(e, call) ? e.expr(call.args[0]) : nullptr;
    if (!value) return nullptr;
    llvm::Value* exponential = e.mathCall("exp", call.dtype, {e.builder_.CreateFNeg(value)});
    llvm::Value* one = e.number(call.dtype, 1);
    return e.rounded(e.builder_.CreateFDiv(one, e.builder_.CreateFAdd(one, exponential)), call.dtype);
  }
  static llvm::Value* classify(Emitter& e, const tir::Call& call, const Row& row) {
    llvm::Value* value = e.expr(call.args[0]);
    if (!value) return nullptr;
    const bool isFloat = call.args[0]->dtype.isFloat();
    llvm::Type* type = e.registerType(DataType::Bool(call.args[0]->dtype.lanes));
    if (!isFloat) return llvm::ConstantInt::get(type, row.name == "isfinite");
    if (row.name == "isnan") return e.builder_.CreateFCmpUNO(value, value);
    llvm::Value* magnitude = e.builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    llvm::Value* infinity = llvm::ConstantFP::getInfinity(value->getType());
    return row.name == "isinf" ? e.builder_.CreateFCmpOEQ(magnitude, infinity)
                               : e.builder_.CreateFCmpONE(magnitude, infinity);
  }
  static llvm::Value* pow(Emitter& e, const tir::Call& call, const Row& row) {
    if (call.dtype.isFloat()) return math(e, call, row);
    auto args = values(e, call.args);
    if (args.size() != 2) return nullptr;
    llvm::Type* word = e.builder_.getInt64Ty();
    for (size_t i = 0; i < args.size(); ++i) args[i] = e.index(args[i], call.args[i]->dtype);
    const auto power = e.host("rx_power", word, {word, word});
    if (call.dtype.lanes == 1) return e.convert(e.builder_.CreateCall(power, args), DataType::Int(64), call.dtype);
    llvm::Value* result = llvm::PoisonValue::get(args[0]->getType());
    for (int lane = 0; lane < call.dtype.lanes; ++lane) {
      llvm::Value* one = e.builder_.CreateCall(power, {e.laneOf(args[0], lane), e.laneOf(args[1], lane)});
      result = e.builder_.CreateInsertElement(result, one, static_cast<uint64_t>(lane));
    }
    return e.convert(result, DataType::Int(64, call.dtype.lanes), call.dtype);
  }
  static llvm::Value* bitwise(Emitter& e, const tir::Call& call, const Row& row) {
    if (!takesIntegers(e, call)) return nullptr;
    auto args = values(e, call.args);
    if (args.empty() || args.size() != 2 || args[0]->getType() != args[1]->getType())
      return args.empty() ? nullptr : e.refuse(call.span, "both sides have to be integers of one type");
    auto op = static_cast<llvm::Instruction::BinaryOps>(row.id);
    const bool shifts = op == llvm::Instruction::Shl || op == llvm::Instruction::AShr;
    if (!shifts) return e.builder_.CreateBinOp(op, args[0], args[1]);
    if (op == llvm::Instruction::AShr && !call.dtype.isInt()) op = llvm::Instruction::LShr;
    // A shift by the width or more, or by less than nothing, has no defined result in LLVM; here all bits leave.
    auto constant = [&](int value) { return llvm::ConstantInt::get(args[1]->getType(), static_cast<uint64_t>(value)); };
    if (op == llvm::Instruction::AShr) {
      args[1] = e.builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, args[1], constant(call.dtype.bits - 1));
      return e.builder_.CreateBinOp(op, args[0], args[1]);
    }
    llvm::Value* within = e.builder_.CreateICmpULT(args[1], constant(call.dtype.bits));
    return e.builder_.CreateSelect(within, e.builder_.CreateBinOp(op, args[0], args[1]), constant(0));
  }
  static llvm::Value* bitwiseNot(Emitter& e, const tir::Call& call, const Row&) {
    if (!takesIntegers(e, call)) return nullptr;
    llvm::Value* value = e.expr(call.args[0]);
    return value ? e.builder_.CreateNot(value) : nullptr;
  }
  static llvm::Value* popcount(Emitter& e, const tir::Call& call, const Row&) {
    if (!takesIntegers(e, call)) return nullptr;
    llvm::Value* value = e.expr(call.args[0]);
    return value ? e.convert(e.builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value), call.args[0]->dtype,
                             call.dtype)
                 : nullptr;
  }
  static llvm::Value* clz(Emitter& e, const tir::Call& call, const Row&) {
    if (!takesIntegers(e, call)) return nullptr;
    llvm::Value* value = e.expr(call.args[0]);
    return value ? e.convert(e.builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, e.builder_.getFalse()),
                             call.args[0]->dtype, call.dtype)
                 : nullptr;
  }
  static llvm::Value* ifThenElse(Emitter& e, const tir::Call& call, const Row&) {
    return e.choose(call.args[0], call.args[1], call.args[2]);
  }
  static llvm::Value* divisor(Emitter& e, const tir::Call& call, const Row&) {
    llvm::Value* value = e.expr(call.args[0]);
    const auto* text = as<tir::StringImm>(call.args[1]);
    if (value && text) e.failAtZero(call.dtype, value, text->value.string());
    return value;
  }
  static llvm::Value* first(Emitter& e, const tir::Call& call, const Row&) { return e.expr(call.args[0]); }
  static llvm::Value* nothing(Emitter& e, const tir::Call&, const Row&) { return e.builder_.getInt32(0); }
  /// Fetches an element of a buffer ahead; of anything else, and where its kind is no known number, nothing.
  static llvm::Value* prefetch(Emitter& e, const tir::Call& call, const Row&) {
    const auto* address = as<tir::Call>(call.args[0]);
    const auto access = tir::asInt(call.args[1]), nearness = tir::asInt(call.args[2]), cache = tir::asInt(call.args[3]);
    const auto within = [](const std::optional<int64_t>& kind, int64_t most) {
      return kind && *kind >= 0 && *kind <= most;
    };
    const bool known = address && intrinsicName(*address) == "address_of" && within(access, 1) && within(nearness, 3) &&
                       within(cache, 1);
    if (!known) return nothing(e, call, {});
    const auto made = e.pointer(call.args[0]);
    if (!made) return nullptr;
    const auto number = [&](const std::optional<int64_t>& kind) {
      return e.builder_.getInt32(static_cast<uint32_t>(*kind));
    };
    e.builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {e.builder_.getPtrTy()},
                               {made->base, number(access), number(nearness), number(cache)});
    return e.builder_.getInt32(0);
  }
  static llvm::Value* atomicAdd(Emitter& e, const tir::Call& call, const Row&) {
    const DataType type = call.args[1]->dtype;
    if (!vm::addsAtomically(type)) return e.refuse(call.span, atomicText(type));
    const auto place = e.pointer(call.args[0]);
    llvm::Value* value = e.expr(call.args[1]);
    if (!place || !value) return nullptr;
    const auto sum = type.isFloat() ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add;
    return e.builder_.CreateAtomicRMW(sum, place->base, value, llvm::Align(static_cast<uint64_t>(type.bits) / 8),
                                      llvm::AtomicOrdering::Monotonic);
  }
  static llvm::Value* reinterpret(Emitter& e, const tir::Call& call, const Row&) {
    const DataType from = call.args[0]->dtype;
    llvm::Value* value = e.expr(call.args[0]);
    if (!value) return nullptr;
    if (from.bits != call.dtype.bits || from.lanes != call.dtype.lanes)
      return e.refuse(call.span, "reinterpret needs two types of one size");
    if (from.lanes > 1) {
      llvm::Type* type = e.registerType(call.dtype);
      const bool plain = e.registerType(from.element()) == e.memoryType(from) &&
                         e.registerType(call.dtype.element()) == e.memoryType(call.dtype);
      return plain ? e.builder_.CreateBitCast(value, type)
                   : e.refuse(call.span, "vectors of these types can not be reinterpreted");
    }
    llvm::Value* raw = e.toMemory(value, from);
    return e.fromMemory(e.builder_.CreateBitCast(raw, e.memoryType(call.dtype)), call.dtype);
  }
  static llvm::Value* largeUInt(Emitter& e, const tir::Call& call, const Row&) {
    const auto low = tir::asInt(call.args[0]);
    const auto high = tir::asInt(call.args[1]);
    if (!low || !high) return e.refuse(call.span, "large_uint_imm needs two constants");
    return llvm::ConstantInt::get(e.registerType(call.dtype),
                                  static_cast<uint64_t>(*high) << 32 | static_cast<uint32_t>(*low));
  }
  static llvm::Value* fma(Emitter& e, const tir::Call& call, const Row&) {
    auto args = values(e, call.args);
    if (args.empty()) return nullptr;
    return e.rounded(
        e.builder_.CreateIntrinsic(llvm::Intrinsic::fma, {args[0]->getType()}, {args[0], args[1], args[2]}),
        call.dtype);
  }
  static llvm::Value* bitsLike(llvm::Value* words, uint64_t number) {
    return llvm::ConstantInt::get(words->getType(), number);
  }
  /// The products of four bytes as those of two shorts and two more, the bytes of even places and those of odd ones.
  static llvm::Value* dotBytesAsShorts(Emitter& e, llvm::Intrinsic::ID instruction,
                                       const std::vector<llvm::Value*>& args) {
    auto* shorts = llvm::FixedVectorType::get(
        e.builder_.getInt16Ty(), 2 * llvm::cast<llvm::FixedVectorType>(args[0]->getType())->getNumElements());
    llvm::Value *plain = e.builder_.CreateBitCast(args[1], shorts),
                *isSigned = e.builder_.CreateBitCast(args[2], shorts);
    llvm::Constant* byte = llvm::ConstantInt::get(shorts, 8);
    const auto products = [&](llvm::Value* a, llvm::Value* b) {
      return e.builder_.CreateIntrinsic(instruction, {}, {a, b});
    };
    llvm::Value* even = products(e.builder_.CreateAnd(plain, llvm::ConstantInt::get(shorts, 255)),
                                 e.builder_.CreateAShr(e.builder_.CreateShl(isSigned, byte), byte));
    llvm::Value* odd = products(e.builder_.CreateLShr(plain, byte), e.builder_.CreateAShr(isSigned, byte));
    return e.builder_.CreateAdd(e.builder_.CreateAdd(args[0], even), odd);
  }
  /// By the processor's instruction, where it has one for so many words; else by one for shorts, or byte by byte.
  static llvm::Value* dotBytes(Emitter& e, const tir::Call& call, const Row&) {
    const auto args = values(e, call.args);
    if (args.empty()) return nullptr;
    if (call.dtype != DataType::Int(32, call.dtype.lanes)) return e.refuse(call.span, "rx_dot_bytes is of int32");
    if (const auto instruction = instructionFor(e.module_, WordWork::DotOfBytes, call.dtype.lanes))
      return e.builder_.CreateIntrinsic(*instruction, {}, args);
    if (const auto instruction = instructionFor(e.module_, WordWork::DotOfShorts, call.dtype.lanes))
      return dotBytesAsShorts(e, *instruction, {args.begin(), args.end()});
    llvm::Value* sum = args[0];
    for (uint64_t byte = 0; byte < 4; ++byte) {
      llvm::Value* plain = e.builder_.CreateLShr(args[1], bitsLike(args[1], 8 * byte));
      llvm::Value* isSigned = e.builder_.CreateShl(args[2], bitsLike(args[2], 24 - 8 * byte));
      plain = e.builder_.CreateAnd(plain, bitsLike(plain, 255));
      isSigned = e.builder_.CreateAShr(isSigned, bitsLike(isSigned, 24));
      sum = e.builder_.CreateAdd(sum, e.builder_.CreateMul(plain, isSigned));
    }
    return sum;
  }
  /// The bits of floats: without an exponent only the sign is left.
  static llvm::Value* flushed(Emitter& e, llvm::Value* bits) {
    llvm::Value* exponent = e.builder_.CreateAnd(bits, bitsLike(bits, 0x7f800000));
    llvm::Value* sign = e.builder_.CreateAnd(bits, bitsLike(bits, 0x80000000));
    return e.builder_.CreateSelect(e.builder_.CreateICmpEQ(exponent, bitsLike(bits, 0)), sign, bits);
  }
  /// The same of bfloat16; else as the instruction computes.
  static llvm::Value* dotHalves(Emitter& e, const tir::Call& call, const Row&) {
    const auto args = values(e, call.args);
    if (args.empty()) return nullptr;
    if (call.dtype != DataType::Float(32, call.dtype.lanes)) return e.refuse(call.span, "rx_dot_halves is of float32");
    llvm::Type *floats = args[0]->getType(), *words = args[1]->getType();
    if (const auto instruction = instructionFor(e.module_, WordWork::DotOfHalves, call.dtype.lanes)) {
      auto* halves = llvm::FixedVectorType::get(e.builder_.getBFloatTy(), 2 * static_cast<unsigned>(call.dtype.lanes));
      return e.builder_.CreateIntrinsic(
          *instruction, {},
          {args[0], e.builder_.CreateBitCast(args[1], halves), e.builder_.CreateBitCast(args[2], halves)});
    }
    llvm::Value* sum = flushed(e, e.builder_.CreateBitCast(args[0], words));
    for (const bool upper : {true, false}) {
      const auto half = [&](llvm::Value* word) {
        llvm::Value* bits = upper ? e.builder_.CreateAnd(word, bitsLike(word, 0xffff0000))
                                  : e.builder_.CreateShl(word, bitsLike(word, 16));
        return e.builder_.CreateBitCast(flushed(e, bits), floats);
      };
      llvm::Value* added = e.builder_.CreateIntrinsic(
          llvm::Intrinsic::fma, {floats}, {half(args[1]), half(args[2]), e.builder_.CreateBitCast(sum, floats)});
      sum = flushed(e, e.builder_.CreateBitCast(added, words));
    }
    return e.builder_.CreateBitCast(sum, floats);
  }
  /// By the processor's instruction, where it has one for so many; else by two factors.
  static llvm::Value* scaled(Emitter& e, const tir::Call& call, const Row&) {
    constexpr uint64_t kBias = 127, kMantissa = 23;
    const auto args = values(e, call.args);
    if (args.empty()) return nullptr;
    const int lanes = call.dtype.lanes;
    if (call.dtype != DataType::Float(32, lanes) || call.args[1]->dtype != DataType::Int(32, lanes))
      return e.refuse(call.span, "rx_scaled is of a float32 and an int32");
    llvm::Type* floats = args[0]->getType();
    if (const auto instruction = instructionFor(e.module_, WordWork::Scaling, lanes)) {
      llvm::Value *power = e.builder_.CreateSIToFP(args[1], floats), *all = e.builder_.getInt16(0xffff);
      constexpr uint32_t kRoundedAsElsewhere = 4;
      return e.builder_.CreateIntrinsic(*instruction, {},
                                        {args[0], power, args[0], all, e.builder_.getInt32(kRoundedAsElsewhere)});
    }
    llvm::Value *half = e.builder_.CreateAShr(args[1], bitsLike(args[1], 1)), *made = args[0];
    for (llvm::Value* exponent : {half, e.builder_.CreateSub(args[1], half)}) {
      llvm::Value* biased = e.builder_.CreateAdd(exponent, bitsLike(exponent, kBias));
      llvm::Value* factor = e.builder_.CreateShl(biased, bitsLike(biased, kMantissa));
      made = e.builder_.CreateFMul(made, e.builder_.CreateBitCast(factor, floats));
    }
    return made;
  }
  static llvm::Value* tiles(Emitter& e, const tir::Call& call, const Row&) { return e.tileProducts(call); }
  static llvm::Value* pointer(Emitter& e, const tir::Call& call, const Row&) {
    const auto made = e.pointer(tir::PrimExpr(&call));
    return made ? made->base : nullptr;
  }
  static llvm::Value* stackShape(Emitter& e, const tir::Call& call, const Row&) {
    llvm::IRBuilder<> entry(&e.function_->getEntryBlock(), e.function_->getEntryBlock().begin());
    auto* memory = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt64Ty(), std::max<size_t>(call.args.size(), 1)));
    for (size_t i = 0; i < call.args.size(); ++i) {
      llvm::Value* dim = e.expr(call.args[i]);
      if (!dim) return nullptr;
      e.builder_.CreateStore(e.index(dim, call.args[i]->dtype),
                             e.builder_.CreateConstGEP1_64(e.builder_.getInt64Ty(), memory, i));
    }
    return memory;
  }
  static llvm::Value* ldexp(Emitter& e, const tir::Call& call, const Row&) {
    auto args = values(e, call.args);
    if (args.empty()) return nullptr;
    llvm::Type* exponent = e.registerType(DataType::Int(32, call.dtype.lanes));
    args[1] = e.convert(args[1], call.args[1]->dtype, DataType::Int(32, call.dtype.lanes));
    return e.rounded(e.builder_.CreateIntrinsic(llvm::Intrinsic::ldexp, {args[0]->getType(), exponent}, args),
                     call.dtype);
  }
  static llvm::Value* isNull(Emitter& e, const tir::Call& call, const Row&) {
    const auto made = e.pointer(call.args[0]);
    return made ? e.builder_.CreateIsNull(made->base) : nullptr;
  }
  /// break and continue; what follows in the text can not be reached.
  static llvm::Value* leaveLoop(Emitter& e, const tir::Call& call, const Row& row) {
    if (e.loops_.empty()) return e.refuse(call.span, fmt::format("{} stands outside a loop", row.name));
    e.builder_.CreateBr(row.name == "break_loop" ? e.loops_.back().end : e.loops_.back().next);
    e.builder_.SetInsertPoint(llvm::BasicBlock::Create(e.context_, "after", e.function_));
    return e.builder_.getInt32(0);
  }
  static llvm::Value* result(Emitter& e, const tir::Call& call, const Row&) {
    if (call.args.empty()) {
      e.returnCode(e.builder_.getInt32(0));
      return e.builder_.getInt32(0);
    }
    llvm::Value* value = e.expr(call.args[0]);
    if (!value) return nullptr;
    const DataType dtype = call.args[0]->dtype;
    if (dtype.isFloat())
      value =
          e.builder_.CreateBitCast(e.builder_.CreateFPCast(value, e.builder_.getDoubleTy()), e.builder_.getInt64Ty());
    e.builder_.CreateStore(dtype.isFloat() ? value : e.index(value, dtype), e.result_);
    e.returnCode(e.builder_.getInt32(0));
    return e.builder_.getInt32(0);
  }
  static llvm::Value* packed(Emitter& e, const tir::Call& call, const Row&) { return e.callPacked(call); }
};

std::span<const Intrinsics::Row> Intrinsics::rows() {
  namespace I = llvm::Intrinsic;
  using B = llvm::Instruction;
  static const Row kRows[] = {
      {"exp", math, 1, "exp"},
      {"exp2", math, 1, "exp2"},
      {"exp10", math, 1, "exp10"},
      {"log", math, 1, "log"},
      {"log2", math, 1, "log2"},
      {"log10", math, 1, "log10"},
      {"log1p", math, 1, "log1p"},
      {"tanh", math, 1, "tanh"},
      {"sinh", math, 1, "sinh"},
      {"cosh", math, 1, "cosh"},
      {"tan", math, 1, "tan"},
      {"sin", math, 1, "sin"},
      {"cos", math, 1, "cos"},
      {"asin", math, 1, "asin"},
      {"acos", math, 1, "acos"},
      {"atan", math, 1, "atan"},
      {"asinh", math, 1, "asinh"},
      {"acosh", math, 1, "acosh"},
      {"atanh", math, 1, "atanh"},
      {"erf", math, 1, "erf"},
      {"atan2", math, 2, "atan2"},
      {"hypot", math, 2, "hypot"},
      {"fmod", math, 2, "fmod"},
      {"copysign", math, 2, "copysign"},
      {"nextafter", math, 2, "nextafter"},
      {"pow", pow, 2, "pow"},
      {"sqrt", root, 1, nullptr, I::sqrt},
      {"floor", unary, 1, nullptr, I::floor},
      {"ceil", unary, 1, nullptr, I::ceil},
      {"trunc", unary, 1, nullptr, I::trunc},
      {"round", unary, 1, nullptr, I::nearbyint},
      {"nearbyint", unary, 1, nullptr, I::nearbyint},
      {"fabs", absolute},
      {"abs", absolute},
      {"rsqrt", rsqrt},
      {"sigmoid", sigmoid},
      {"isnan", classify},
      {"isinf", classify},
      {"isfinite", classify},
      {"bitwise_and", bitwise, 2, nullptr, B::And},
      {"bitwise_or", bitwise, 2, nullptr, B::Or},
      {"bitwise_xor", bitwise, 2, nullptr, B::Xor},
      {"shift_left", bitwise, 2, nullptr, B::Shl},
      {"shift_right", bitwise, 2, nullptr, B::AShr},
      {"bitwise_not", bitwiseNot},
      {"popcount", popcount},
      {"clz", clz},
      {"if_then_else", ifThenElse, 3},
      {"likely", first},
      {"rx_divisor", divisor, 2},
      {"ignore_loop_partition", first},
      {"tvm_thread_invariant", first},
      {"ldexp", ldexp, 2},
      {"isnullptr", isNull},
      {"break_loop", leaveLoop, 0},
      {"continue_loop", leaveLoop, 0},
      {"reinterpret", reinterpret},
      {"large_uint_imm", largeUInt, 2},
      {"fma", fma, 3},
      {"rx_dot_bytes", dotBytes, 3},
      {"rx_dot_halves", dotHalves, 3},
      {"rx_scaled", scaled, 2},
      {"rx_tile_products", tiles, 8},
      {"atomic_add", atomicAdd, 2},
      {"address_of", pointer},
      {"tvm_access_ptr", pointer, 5},
      {"tvm_stack_make_shape", stackShape, 0},
      {"ret", result, 0},
      {"tvm_call_packed", packed},
      {"call_packed", packed},
      {"assume", nothing},
      {"prefetch", prefetch, 4},
      {"tvm_call_cpacked", packed},
      {"undef", nothing, 0},
  };
  return kRows;
}

const Intrinsics::Row* Intrinsics::find(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &Row::name);
  return found == rows().end() ? nullptr : &*found;
}

std::string atomicText(DataType type) {
  return fmt::format("atomic additions are of 32 or 64 bits here, of one element, not of {}", type.str());
}

std::string_view intrinsicName(const tir::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  std::string_view name = op ? op->name.view() : std::string_view();
  for (const std::string_view prefix : {"tirx.", "tir.", "builtin."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return name;
}

llvm::Value* Emitter::call(const tir::Call& node) {
  const std::string_view name = intrinsicName(node);
  if (name.empty())
    return refuse(
        node.span,
        "not available: a call of another kernel that can not stand in its place: one in a circle, one with arguments "
        "that do not fill its parameters, one that returns a value after statements, or one that is too large");
  if (const auto own = ownCall(name, node)) return *own;
  const Intrinsics::Row* row = Intrinsics::find(name);
  if (!row) return refuse(node.span, fmt::format("the intrinsic {} has no machine code here", name));
  if (static_cast<int>(node.args.size()) < row->minArgs)
    return refuse(node.span, fmt::format("{} takes {} arguments", name, row->minArgs));
  return row->emit(*this, node, *row);
}

std::optional<llvm::Value*> Emitter::ownCall(std::string_view, const tir::Call&) { return std::nullopt; }

llvm::FunctionCallee Emitter::mathFunction(const std::string& name, llvm::Type* type, size_t args) {
  auto callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(type, std::vector<llvm::Type*>(args, type), false));
  if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    // It gives a number and does nothing else that a kernel can see.
    declared->setDoesNotAccessMemory();
    declared->setDoesNotThrow();
    declared->setWillReturn();
  }
  return callee;
}

/// The C library's function, lane by lane; 16-bit and smaller types are computed as float and rounded.
llvm::Value* Emitter::mathCall(const char* function, DataType dtype, std::vector<llvm::Value*> args) {
  const bool wide = dtype.code == TypeCode::Float && dtype.bits == 64;
  llvm::Type* type = wide ? builder_.getDoubleTy() : builder_.getFloatTy();
  llvm::FunctionCallee callee = mathFunction(std::string(function) + (wide ? "" : "f"), type, args.size());
  if (!callee.getCallee()) return nullptr;
  llvm::Type* resultType = registerType(dtype.element());
  auto scalar = [&](int lane) {
    std::vector<llvm::Value*> one;
    for (llvm::Value* arg : args) {
      llvm::Value* element = dtype.lanes > 1 ? builder_.CreateExtractElement(arg, static_cast<uint64_t>(lane)) : arg;
      one.push_back(builder_.CreateFPCast(element, type));
    }
    return rounded(builder_.CreateFPCast(builder_.CreateCall(callee, one), resultType), dtype.element());
  };
  if (dtype.lanes == 1) return scalar(0);
  llvm::Value* result = llvm::PoisonValue::get(registerType(dtype));
  for (int lane = 0; lane < dtype.lanes; ++lane)
    result = builder_.CreateInsertElement(result, scalar(lane), static_cast<uint64_t>(lane));
  return result;
}

/// Writes the arguments as an array of PackedArg (kPackedArgWords 64-bit words each).
llvm::Value* Emitter::packedArgs(const tir::Call& node, size_t first) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  const size_t count = node.args.size() - first;
  auto* memory =
      entry.CreateAlloca(llvm::ArrayType::get(entry.getInt64Ty(), std::max<size_t>(count * vm::kPackedArgWords, 1)));
  auto put = [&](size_t arg, size_t word, llvm::Value* value) {
    if (value->getType()->isPointerTy()) value = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
    builder_.CreateStore(value,
                         builder_.CreateConstGEP1_64(builder_.getInt64Ty(), memory, arg * vm::kPackedArgWords + word));
  };
  for (size_t i = 0; i < count; ++i) {
    const tir::PrimExpr& arg = node.args[first + i];
    const auto* array = as<tir::Call>(arg);
    if (array && intrinsicName(*array) == "tvm_stack_make_array" && array->args.size() == 6) {
      // data, shape, strides (0: compact), rank, an element that shows the type, offset in elements
      const auto data = pointer(array->args[0]);
      llvm::Value* shape = expr(array->args[1]);
      llvm::Value* rank = expr(array->args[3]);
      llvm::Value* offset = expr(array->args[5]);
      if (!data || !shape || !rank || !offset) return nullptr;
      if (!tir::asInt(array->args[2]))
        return refuse(node.span, "an argument with strides can not be handed to a packed function");
      put(i, 0, i64(static_cast<int64_t>(vm::PackedKind::Tensor)));
      put(i, 1, data->base);
      put(i, 2, shape);
      put(i, 3, index(rank, array->args[3]->dtype));
      put(i, 4, i64(vm::packedType(array->args[4]->dtype)));
      put(i, 5, index(offset, array->args[5]->dtype));
      put(i, 6, data->limit);
      continue;
    }
    llvm::Value* value = expr(arg);
    if (!value) return nullptr;
    vm::PackedKind kind = vm::PackedKind::Int;
    if (isa<tir::StringImm>(arg)) {
      kind = vm::PackedKind::String;
    } else if (arg->dtype.isFloat()) {
      kind = vm::PackedKind::Float;
      value = builder_.CreateBitCast(builder_.CreateFPCast(value, builder_.getDoubleTy()), builder_.getInt64Ty());
    } else if (arg->dtype.isBool()) {
      kind = vm::PackedKind::Bool;
      value = index(value, arg->dtype);
    } else if (arg->dtype.isIntegral()) {
      value = index(value, arg->dtype);
    } else {
      return refuse(node.span, "a raw pointer can not be handed to a packed function");
    }
    put(i, 0, i64(static_cast<int64_t>(kind)));
    put(i, 1, value);
  }
  return memory;
}

llvm::Value* Emitter::callPacked(const tir::Call& node) {
  const auto* name = as<tir::StringImm>(node.args[0]);
  if (!name) return refuse(node.span, "a packed function is called by its name");
  llvm::Value* args = packedArgs(node, 1);
  if (!args) return nullptr;
  llvm::Type* pointer = builder_.getPtrTy();
  const auto callHost =
      host("rx_call_packed", builder_.getInt32Ty(), {pointer, pointer, pointer, builder_.getInt64Ty()});
  llvm::Value* code =
      builder_.CreateCall(callHost, {host_, builder_.CreateGlobalString(std::string(name->value.view())), args,
                                     i64(static_cast<int64_t>(node.args.size()) - 1)});
  failNoted(builder_.CreateICmpNE(code, builder_.getInt32(0)));
  return code;
}

}  // namespace rx::codegen
