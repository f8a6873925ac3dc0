// Calls of intrinsics, by two tables: functions on floats are rows of opencl_intrinsics.def, the rest has handlers
// here.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/intrinsic_name.h"
#include "core/codegen/opencl_emitter.h"

namespace rx::codegen {

using namespace tir;

namespace {

struct MathRow {
  std::string_view name, function;
};
constexpr MathRow kMath[] = {
#define RX_CL_MATH(name, function, ulp) {#name, #function},
#include "core/codegen/opencl_intrinsics.def"
#undef RX_CL_MATH
};

const MathRow* mathRow(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kMath), std::end(kMath), [&](const MathRow& row) { return row.name == name; });
  return found == std::end(kMath) ? nullptr : found;
}

std::string listed(const std::vector<Operand>& operands) {
  std::string made;
  for (const Operand& one : operands) made += (made.empty() ? "" : ", ") + one.text;
  return made;
}

}  // namespace

/// The handlers that the rows of the table name. They get the arguments of one lane.
struct ClIntrinsics {
  using Args = const std::vector<Operand>&;
  struct Row {
    std::string_view name;
    Operand (*emit)(OpenClEmitter& e, const Call& call, Args args);
  };
  static const Row* find(std::string_view name);

  static DataType typeOf(const Call& call) { return call.args[0]->dtype.element(); }
  static Operand math(OpenClEmitter& e, const Call& call, const MathRow& row, Args args) {
    return e.rounded({fmt::format("{}({})", row.function, listed(args))}, call.dtype);
  }
  static Operand rsqrt(OpenClEmitter& e, const Call& call, Args args) {
    return e.rounded({"1 / sqrt(" + args[0].text + ")", Binds::Product}, call.dtype);
  }
  static Operand sigmoid(OpenClEmitter& e, const Call& call, Args args) {
    return e.rounded({fmt::format("{}({})", e.helper("sigmoid", typeOf(call)), args[0].text)}, call.dtype);
  }
  static Operand ldexp(OpenClEmitter& e, const Call& call, Args args) {
    const Operand power = e.converted(args[1], call.args[1]->dtype.element(), DataType::Int(32));
    return e.rounded({fmt::format("ldexp({}, {})", args[0].text, power.text)}, call.dtype);
  }
  static Operand isNan(OpenClEmitter&, const Call& call, Args args) { return test("isnan", false, call, args); }
  static Operand isInf(OpenClEmitter&, const Call& call, Args args) { return test("isinf", false, call, args); }
  static Operand isFinite(OpenClEmitter&, const Call& call, Args args) { return test("isfinite", true, call, args); }
  static Operand test(const char* function, bool ofIntegers, const Call& call, Args args) {
    if (!call.args[0]->dtype.isFloat()) return {ofIntegers ? "true" : "false"};
    return {fmt::format("{}({}) != 0", function, args[0].text), Binds::Equality};
  }
  static Operand bits(OpenClEmitter& e, const Call& call, Args args, const char* word) {
    return e.converted({inside(args[0], Binds::Unary) + " " + word + " " + inside(args[1], Binds::Unary), Binds::Bits},
                       widened(typeOf(call)), typeOf(call));
  }
  /// What C computes with in the place of a narrow integer.
  static DataType widened(DataType dtype) { return !dtype.isBool() && dtype.bits < 32 ? DataType::Int(32) : dtype; }
  static Operand bitAnd(OpenClEmitter& e, const Call& call, Args args) { return bits(e, call, args, "&"); }
  static Operand bitOr(OpenClEmitter& e, const Call& call, Args args) { return bits(e, call, args, "|"); }
  static Operand bitXor(OpenClEmitter& e, const Call& call, Args args) { return bits(e, call, args, "^"); }
  static Operand bitNot(OpenClEmitter& e, const Call& call, Args args) {
    const char* const word = typeOf(call).isBool() ? "!" : "~";
    return e.converted({word + inside(args[0], Binds::Unary), Binds::Unary}, widened(typeOf(call)), typeOf(call));
  }
  static Operand shiftLeft(OpenClEmitter& e, const Call& call, Args args) {
    return {fmt::format("{}({})", e.helper("shl", typeOf(call)), listed(args))};
  }
  static Operand shiftRight(OpenClEmitter& e, const Call& call, Args args) {
    return {fmt::format("{}({})", e.helper("shr", typeOf(call)), listed(args))};
  }
  static Operand popcount(OpenClEmitter& e, const Call& call, Args args) { return counted(e, call, args, "popcount"); }
  static Operand clz(OpenClEmitter& e, const Call& call, Args args) { return counted(e, call, args, "clz"); }
  static Operand counted(OpenClEmitter& e, const Call& call, Args args, const char* function) {
    return {fmt::format("({}){}({})", e.held(call.dtype), function, args[0].text), Binds::Unary};
  }
  static Operand integerAbs(OpenClEmitter& e, const Call& call, Args args) {
    return typeOf(call).isInt() ? Operand{fmt::format("{}({})", e.helper("abs", typeOf(call)), args[0].text)} : args[0];
  }
  static Operand integerPower(OpenClEmitter& e, const Call& call, Args args) {
    return {fmt::format("{}({})", e.helper("pow", typeOf(call)), listed(args))};
  }
  static Operand first(OpenClEmitter&, const Call&, Args args) { return args[0]; }
  static Operand divisor(OpenClEmitter& e, const Call& call, Args args) {
    if (!e.checks_) return args[0];
    const auto* text = as<StringImm>(call.args[1]);
    const int number = e.site(vm::KernelFault::Division, text ? text->value.string() : "");
    return {fmt::format("{}({}, {}, rx_fault)", e.helper("divisor", typeOf(call)), args[0].text, number)};
  }
  static Operand index(OpenClEmitter& e, const Call& call, Args args) {
    return e.checkedIndex(args[0], typeOf(call), args[1], call);
  }
  static Operand reinterpret(OpenClEmitter& e, const Call& call, Args args) {
    const DataType from = typeOf(call), to = call.dtype.element();
    if (from.bits != to.bits) {
      e.refuse(call.span, "reinterpret needs two types of one size");
      return {};
    }
    const auto source = e.type(from), made = e.type(to);
    if (!source || !made) return {};
    const std::string raw = e.toMemory(args[0], from);
    const Operand same{source->memory == made->memory ? raw : fmt::format("as_{}({})", made->memory, raw)};
    return e.fromMemory(same.text, to);
  }
  static Operand largeUInt(OpenClEmitter&, const Call& call, Args) {
    const auto low = asInt(call.args[0]), high = asInt(call.args[1]);
    if (!low || !high) return {};
    return {fmt::format("{}ul", static_cast<uint64_t>(*high) << 32 | static_cast<uint32_t>(*low))};
  }
  static Operand nothing(OpenClEmitter&, const Call&, Args) { return {"0"}; }
};

const ClIntrinsics::Row* ClIntrinsics::find(std::string_view name) {
  static constexpr Row kRows[] = {
      {"rsqrt", rsqrt},
      {"sigmoid", sigmoid},
      {"ldexp", ldexp},
      {"isnan", isNan},
      {"isinf", isInf},
      {"isfinite", isFinite},
      {"bitwise_and", bitAnd},
      {"bitwise_or", bitOr},
      {"bitwise_xor", bitXor},
      {"bitwise_not", bitNot},
      {"shift_left", shiftLeft},
      {"shift_right", shiftRight},
      {"popcount", popcount},
      {"clz", clz},
      {"likely", first},
      {"tvm_thread_invariant", first},
      {"ignore_loop_partition", first},
      {"rx_divisor", divisor},
      {"rx_index", index},
      {"reinterpret", reinterpret},
      {"large_uint_imm", largeUInt},
      {"undef", nothing},
  };
  static constexpr Row kOfIntegers[] = {
      {"abs", integerAbs}, {"fabs", integerAbs}, {"pow", integerPower}, {"floor", first},
      {"ceil", first},     {"trunc", first},     {"round", first},      {"nearbyint", first},
  };
  const auto in = [&](std::span<const Row> rows) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
  };
  return mathRow(name) ? in(kOfIntegers) : in(kRows);
}

Lanes OpenClEmitter::call(const Call& node) {
  const std::string_view name = intrinsicName(node);
  if (name.empty()) return refuse(node.span, "a device can not call another kernel from within one");
  if (name == "if_then_else") return choose(node.args[0], node.args[1], node.args[2]);
  if (name == "atomic_add") return atomicAdd(node);
  const bool onFloats = node.args.size() && node.args[0]->dtype.isFloat();
  const MathRow* math = onFloats ? mathRow(name) : nullptr;
  const ClIntrinsics::Row* row = math ? nullptr : ClIntrinsics::find(name);
  if (!math && !row) return refuse(node.span, fmt::format("the intrinsic {} has no words in OpenCL C", name));
  std::vector<Lanes> args;
  for (const PrimExpr& arg : node.args) {
    args.push_back(isa<StringImm>(arg) ? Lanes{{}} : expr(arg));
    if (args.back().empty()) return {};
  }
  const size_t before = errors_.size();
  Lanes made = eachLane(static_cast<size_t>(node.dtype.lanes), [&](size_t i) {
    std::vector<Operand> lane;
    for (const Lanes& arg : args) lane.push_back(arg[arg.size() == 1 ? 0 : std::min(i, arg.size() - 1)]);
    return math ? ClIntrinsics::math(*this, node, *math, lane) : row->emit(*this, node, lane);
  });
  return errors_.size() > before ? Lanes{} : made;
}

}  // namespace rx::codegen
