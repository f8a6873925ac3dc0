// Expressions, but for accesses and calls.
#include <fmt/format.h>

#include "core/codegen/opencl_emitter.h"
#include "core/support/stack.h"

namespace rx::codegen {

using namespace tir;

namespace {

/// What is longer gets a name: texts stay readable, and as shallow as compilers want them.
constexpr size_t kLongest = 160;

Binds boundBy(Kind kind) {
  static const std::unordered_map<Kind, Binds> kRows = {
      {Kind::tir_Add, Binds::Sum},     {Kind::tir_Sub, Binds::Sum},     {Kind::tir_Mul, Binds::Product},
      {Kind::tir_Div, Binds::Product}, {Kind::tir_Mod, Binds::Product}, {Kind::tir_LT, Binds::Order},
      {Kind::tir_LE, Binds::Order},    {Kind::tir_GT, Binds::Order},    {Kind::tir_GE, Binds::Order},
      {Kind::tir_EQ, Binds::Equality}, {Kind::tir_NE, Binds::Equality}, {Kind::tir_And, Binds::Both},
      {Kind::tir_Or, Binds::Either},
  };
  return kRows.at(kind);
}

const char* wordOf(Kind kind) {
  static const std::unordered_map<Kind, const char*> kRows = {
      {Kind::tir_Add, "+"}, {Kind::tir_Sub, "-"},  {Kind::tir_Mul, "*"}, {Kind::tir_Div, "/"}, {Kind::tir_Mod, "%"},
      {Kind::tir_LT, "<"},  {Kind::tir_LE, "<="},  {Kind::tir_GT, ">"},  {Kind::tir_GE, ">="}, {Kind::tir_EQ, "=="},
      {Kind::tir_NE, "!="}, {Kind::tir_And, "&&"}, {Kind::tir_Or, "||"},
  };
  return kRows.at(kind);
}

/// The operands on the right bind stronger than the operator, so that sums are what the tree says.
Operand joined(Kind kind, const Operand& a, const Operand& b) {
  const Binds binds = boundBy(kind);
  const auto stronger = static_cast<Binds>(static_cast<uint8_t>(binds) - 1);
  return {inside(a, binds) + " " + wordOf(kind) + " " + inside(b, stronger), binds};
}

}  // namespace

std::string inside(const Operand& operand, Binds binds) {
  return operand.binds <= binds ? operand.text : "(" + operand.text + ")";
}

Operand OpenClEmitter::named(const Operand& value, DataType dtype, std::string_view hint) {
  const std::string made = name(hint);
  line(fmt::format("const {} {} = {};", held(dtype.element()), made, value.text));
  return {made};
}

Operand OpenClEmitter::shortened(Operand value, DataType dtype) {
  if (value.text.size() <= kLongest || dtype.isHandle() || dtype.isVoid()) return value;
  return named(value, dtype, "t");
}

Lanes OpenClEmitter::eachLane(size_t lanes, const std::function<Operand(size_t)>& make) {
  Lanes made;
  for (size_t lane = 0; lane < lanes; ++lane) made.push_back(make(lane));
  return made;
}

Lanes OpenClEmitter::expr(const PrimExpr& node) {
  return withStack([&] {
    Lanes made = exprHere(node);
    for (Operand& lane : made) lane = shortened(std::move(lane), node->dtype);
    return made;
  });
}

Lanes OpenClEmitter::exprHere(const PrimExpr& node) {
  if (const auto* pair = as<BinaryNode>(node)) return binary(*pair);
  if (const auto* var = as<Var>(node)) {
    const auto found = vars_.find(var);
    return found != vars_.end() ? found->second
                                : refuse(node->span, fmt::format("{} has no value on the device", var->name.view()));
  }
  if (const auto* number = as<IntImm>(node)) {
    const Binds binds = number->value < 0 && !node->dtype.isBool() ? Binds::Unary : Binds::Atom;
    return {{clNumber(node->dtype, number->value), binds}};
  }
  if (const auto* number = as<FloatImm>(node)) {
    (void)held(node->dtype);
    return {{clNumber(node->dtype, number->value), number->value < 0 ? Binds::Unary : Binds::Atom}};
  }
  if (const auto* cast = as<Cast>(node)) {
    const Lanes value = expr(cast->value);
    return eachLane(value.size(),
                    [&](size_t i) { return converted(value[i], cast->value->dtype.element(), node->dtype.element()); });
  }
  if (const auto* no = as<Not>(node)) {
    const Lanes value = expr(no->a);
    return eachLane(value.size(), [&](size_t i) {
      return Operand{"!" + inside(converted(value[i], no->a->dtype.element(), DataType::Bool()), Binds::Unary),
                     Binds::Unary};
    });
  }
  if (const auto* select = as<Select>(node)) return choose(select->condition, select->trueValue, select->falseValue);
  if (const auto* access = as<BufferLoad>(node)) return load(*access);
  if (const auto* ramp = as<Ramp>(node)) {
    const Lanes base = expr(ramp->base), stride = expr(ramp->stride);
    if (base.size() != 1 || stride.size() != 1) return base.empty() ? base : stride;
    const Operand first = named(base[0], node->dtype, "base");
    return eachLane(static_cast<size_t>(node->dtype.lanes), [&](size_t i) {
      const Operand lane{clNumber(node->dtype.element(), static_cast<int64_t>(i))};
      return i == 0 ? first
                    : combine(Kind::tir_Add, node->dtype, first, combine(Kind::tir_Mul, node->dtype, stride[0], lane));
    });
  }
  if (const auto* splat = as<Broadcast>(node)) {
    const Lanes value = expr(splat->value);
    if (value.size() != 1) return value;
    const Operand once = value[0].binds == Binds::Atom ? value[0] : named(value[0], node->dtype, "v");
    return Lanes(static_cast<size_t>(node->dtype.lanes), once);
  }
  if (const auto* with = as<Let>(node)) return let(*with);
  if (const auto* picked = as<Shuffle>(node)) return shuffle(*picked);
  if (const auto* called = as<Call>(node)) return call(*called);
  return refuse(node->span, fmt::format("{} has no words in OpenCL C", kindName(node->kind())));
}

Lanes OpenClEmitter::let(const Let& node) {
  const Lanes value = expr(node.value);
  if (value.empty()) return value;
  bind(node.var, value);
  return expr(node.body);
}

Lanes OpenClEmitter::shuffle(const Shuffle& node) {
  Lanes all, made;
  for (const PrimExpr& vector : node.vectors) {
    const Lanes value = expr(vector);
    if (value.empty()) return value;
    all.insert(all.end(), value.begin(), value.end());
  }
  for (const PrimExpr& index : node.indices) {
    const auto at = asInt(index);
    if (!at || *at < 0 || *at >= static_cast<int64_t>(all.size()))
      return refuse(node.span, "a shuffle needs constant indices within its vectors");
    made.push_back(all[static_cast<size_t>(*at)]);
  }
  return made;
}

Lanes OpenClEmitter::binary(const BinaryNode& node) {
  if (node.kind() == Kind::tir_And && node.dtype.lanes == 1) return choose(node.a, node.b, boolImm(false));
  if (node.kind() == Kind::tir_Or && node.dtype.lanes == 1) return choose(node.a, boolImm(true), node.b);
  const Lanes a = expr(node.a), b = expr(node.b);
  if (a.empty() || b.empty()) return {};
  if (a.size() != b.size() || node.a->dtype != node.b->dtype) {
    return refuse(node.span, fmt::format("the sides of {} have the types {} and {}", kindName(node.kind()),
                                         node.a->dtype.str(), node.b->dtype.str()));
  }
  return eachLane(a.size(), [&](size_t i) { return combine(node.kind(), node.a->dtype.element(), a[i], b[i]); });
}

Operand OpenClEmitter::combine(Kind kind, DataType dtype, const Operand& a, const Operand& b) {
  dtype = dtype.element();
  if (kind >= Kind::tir_EQ) return joined(kind, a, b);
  if (kind == Kind::tir_Min || kind == Kind::tir_Max) {
    const std::string function = helper(kind == Kind::tir_Min ? "min" : "max", dtype);
    return {fmt::format("{}({}, {})", function, a.text, b.text)};
  }
  if (kind != Kind::tir_Add && kind != Kind::tir_Sub && kind != Kind::tir_Mul) return divided(kind, dtype, a, b);
  if (dtype.isFloat()) return rounded(joined(kind, a, b), dtype);
  // Whatever is narrower than int is computed as int, and cut to its type again.
  const bool narrow = dtype.bits < 32 && !(dtype.bits == 16 && !dtype.isInt() && kind == Kind::tir_Mul);
  if (narrow) return {fmt::format("({})({})", held(dtype), joined(kind, a, b).text), Binds::Unary};
  if ((dtype.isInt() && exact_) || (!dtype.isInt() && dtype.bits >= 32)) return joined(kind, a, b);
  const char* const key = kind == Kind::tir_Add ? "add" : kind == Kind::tir_Sub ? "sub" : "mul";
  if (dtype.bits == 16)
    return {fmt::format("(ushort)((uint){} * (uint){})", inside(a, Binds::Unary), inside(b, Binds::Unary)),
            Binds::Unary};
  return {fmt::format("{}({}, {})", helper(key, dtype), a.text, b.text)};
}

Operand OpenClEmitter::divided(Kind kind, DataType dtype, const Operand& a, const Operand& b) {
  const bool floors = kind == Kind::tir_FloorDiv || kind == Kind::tir_FloorMod;
  const bool remainder = kind == Kind::tir_Mod || kind == Kind::tir_FloorMod;
  const auto called = [&](const std::string& function) {
    return Operand{fmt::format("{}({}, {})", function, a.text, b.text)};
  };
  if (dtype.isFloat()) {
    if (kind == Kind::tir_Div) return rounded(joined(kind, a, b), dtype);
    if (kind == Kind::tir_Mod) return rounded(called("fmod"), dtype);
    return rounded(called(helper(remainder ? "fmodfloor" : "fdivfloor", dtype)), dtype);
  }
  if (!dtype.isInt()) return called(helper(remainder ? "umod" : "udiv", dtype));
  if (floors) return called(helper(remainder ? "floormod" : "floordiv", dtype));
  return called(helper(remainder ? "mod" : "div", dtype));
}

Operand OpenClEmitter::rounded(Operand value, DataType dtype) {
  const auto made = type(dtype.element());
  if (!made || made->small.empty()) return value;
  return {fmt::format("rx_from_{0}(rx_to_{0}({1}))", made->small, value.text)};
}

/// Integers wrap; floats to integers saturate, NaN is zero.
Operand OpenClEmitter::converted(const Operand& value, DataType from, DataType to) {
  if (from == to) return value;
  const auto made = type(to), source = type(from);
  if (!made || !source) return value;
  if (to.isBool()) return {inside(value, Binds::Sum) + " != 0", Binds::Equality};
  if (from.isFloat() && !to.isFloat()) return {fmt::format("convert_{}_sat_rtz({})", made->held, value.text)};
  const Operand cast = made->held == source->held
                           ? value
                           : Operand{fmt::format("({}){}", made->held, inside(value, Binds::Unary)), Binds::Unary};
  return rounded(cast, to);
}

Operand OpenClEmitter::chosen(const Operand& condition, DataType dtype, const std::function<Operand()>& yes,
                              const std::function<Operand()>& no) {
  Operand a, b;
  ++depth_;
  const auto first = captured([&] { a = yes(); });
  const auto second = captured([&] { b = no(); });
  --depth_;
  if (a.text.empty() || b.text.empty()) return {};
  if (first.empty() && second.empty()) {
    if (a.text == "false" && dtype.isBool())
      return {"!" + inside(condition, Binds::Unary) + " && " + inside(b, Binds::Equality), Binds::Both};
    if (b.text == "false" && dtype.isBool())
      return {inside(condition, Binds::Both) + " && " + inside(a, Binds::Bits), Binds::Both};
    if (a.text == "true" && dtype.isBool())
      return {inside(condition, Binds::Either) + " || " + inside(b, Binds::Both), Binds::Either};
    return {inside(condition, Binds::Either) + " ? " + inside(a, Binds::Either) + " : " + inside(b, Binds::Choice),
            Binds::Choice};
  }
  const std::string result = name("chosen");
  line(fmt::format("{} {};", held(dtype), result));
  line(fmt::format("if ({}) {{", condition.text));
  lines_.insert(lines_.end(), first.begin(), first.end());
  line(fmt::format("  {} = {};", result, a.text));
  line("} else {");
  lines_.insert(lines_.end(), second.begin(), second.end());
  line(fmt::format("  {} = {};", result, b.text));
  line("}");
  return {result};
}

Lanes OpenClEmitter::choose(const PrimExpr& condition, const PrimExpr& yes, const PrimExpr& no) {
  const Lanes test = expr(condition);
  if (test.empty()) return test;
  const auto lanes = static_cast<size_t>(yes->dtype.lanes);
  if (yes->dtype.lanes != no->dtype.lanes || (test.size() != 1 && test.size() != lanes))
    return refuse(condition->span, "the two values of a choice have different types");
  // Of a vector each element is chosen by itself.
  const size_t before = errors_.size();
  Lanes made = eachLane(lanes, [&](size_t i) {
    const Operand is = converted(test[test.size() == 1 ? 0 : i], condition->dtype.element(), DataType::Bool());
    const auto lane = [&](const PrimExpr& value) {
      const Lanes all = expr(value);
      return all.empty() ? Operand{} : all[i];
    };
    return chosen(
        is, yes->dtype.element(), [&] { return lane(yes); }, [&] { return lane(no); });
  });
  return errors_.size() > before ? Lanes{} : made;
}

}  // namespace rx::codegen
