// LowerIntrin: intrinsics become what the target has, divisions that round down become what processors have.
#include <limits>
#include <optional>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsic_rules.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/pass/config.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// log2 of a constant power of two.
std::optional<int> powerOfTwo(const PrimExpr& expr) {
  const auto value = asInt(expr);
  if (!value || *value <= 0 || (*value & (*value - 1)) != 0) return std::nullopt;
  return __builtin_ctzll(static_cast<uint64_t>(*value));
}

PrimExpr bits(std::string_view name, const PrimExpr& a, const PrimExpr& b) { return intrinsic(a->dtype, name, {a, b}); }

PrimExpr shiftRight(const PrimExpr& a, int by) { return by == 0 ? a : bits("shift_right", a, intImm(by, a->dtype)); }

/// Types whose sign bit can be spread over the value by a shift.
bool spreadsSign(DataType type) { return type == DataType::Int(32) || type == DataType::Int(64); }

/// broadcast(cast(x)) as cast(broadcast(x)), where the conversion widens: processors multiply such vectors at once.
PrimExpr castLast(const PrimExpr& expr) {
  const auto* broadcast = as<Broadcast>(expr);
  const auto* convert = broadcast ? as<tir::Cast>(broadcast->value) : nullptr;
  if (!convert) return expr;
  const DataType to = convert->dtype, from = convert->value->dtype;
  const bool integers = (to.isInt() || to.isUInt()) && (from.isInt() || from.isUInt());
  if (to.bits != from.bits * 2 && !(integers && to.bits > from.bits)) return expr;
  return make<tir::Cast>(broadcast->dtype,
                         make<Broadcast>(convert->value, broadcast->lanes, from.withLanes(broadcast->dtype.lanes)));
}

class IntrinsicLowering : public CanonRewriter {
 public:
  IntrinsicLowering(arith::Canon& canon, IntrinsicRules rules) : CanonRewriter(canon), rules_(std::move(rules)) {}

 protected:
  NodeRef enter(const NodeRef& node) override;
  NodeRef rebuilt(const NodeRef& old, const NodeRef& node) override;

 private:
  PrimExpr under(const PrimExpr& condition, const PrimExpr& expr, bool derived);
  NodeRef choice(const Select& select);
  NodeRef choice(const tir::Call& call);
  NodeRef let(const Let& let);
  NodeRef called(const tir::Call& call);
  PrimExpr accessPointer(const tir::Call& call);
  NodeRef comparison(const NodeRef& node);
  NodeRef sum(const Add& old, const NodeRef& node);
  PrimExpr quotient(const PrimExpr& old, const FloorDiv& node);
  PrimExpr remainder(const FloorMod& node);
  std::optional<int64_t> shiftToPositive(const PrimExpr& a, const PrimExpr& b);

  IntrinsicRules rules_;
};

PrimExpr IntrinsicLowering::under(const PrimExpr& condition, const PrimExpr& expr, bool derived) {
  return inGroup([&] {
    assume(condition, derived);
    return withStack([&] { return rewrite(expr); });
  });
}

NodeRef IntrinsicLowering::choice(const Select& select) {
  const PrimExpr condition = rewrite(select.condition);
  const PrimExpr yes = under(condition, select.trueValue, true);
  const PrimExpr no = under(canon_.rewrite(make<Not>(condition)), select.falseValue, false);
  if (const auto known = asInt(condition)) return *known ? yes : no;
  if (condition == select.condition && yes == select.trueValue && no == select.falseValue) return NodeRef(&select);
  return make<Select>(condition, yes, no);
}

NodeRef IntrinsicLowering::choice(const tir::Call& call) {
  const PrimExpr condition = rewrite(call.args[0]);
  const PrimExpr yes = under(condition, call.args[1], true);
  const PrimExpr no = under(make<Not>(condition), call.args[2], false);
  if (const auto known = asInt(condition)) return *known ? yes : no;
  if (condition == call.args[0] && yes == call.args[1] && no == call.args[2]) return NodeRef(&call);
  auto* copy = new tir::Call(call);
  copy->args = {condition, yes, no};
  return NodeRef(copy);
}

NodeRef IntrinsicLowering::let(const Let& let) {
  const PrimExpr value = rewrite(let.value);
  if (!value->dtype.isHandle() && canon_.isPure(value)) canon_.bind(let.var, value);
  const PrimExpr body = withStack([&] { return rewrite(let.body); });
  if (value == let.value && body == let.body) return NodeRef(&let);
  return make<Let>(let.var, value, body);
}

/// A pointer into a buffer as the address of an element; pointers on pointers add their offsets.
PrimExpr IntrinsicLowering::accessPointer(const tir::Call& call) {
  constexpr size_t kArgs = 5;  // type, pointer, offset, extent, what is done with it
  const DataType type = call.args[0]->dtype;
  PrimExpr offset = call.args[2], base = call.args[1];
  for (const tir::Call* inner = asCallOf(base, "tvm_access_ptr"); inner && inner->args.size() == kArgs;
       inner = asCallOf(base, "tvm_access_ptr")) {
    offset = arith::add(arith::cast(offset->dtype, inner->args[2]), offset);
    base = inner->args[1];
  }
  auto pointer = refAs<Var>(base);
  if (!pointer) return nullptr;
  PrimExpr extent = arith::add(offset, intImm(1, offset->dtype));
  if (type.lanes != 1) {
    const DataType index = offset->dtype;
    offset = arith::mul(offset, intImm(type.lanes, index));
    extent = arith::add(offset, intImm(type.lanes, index));
    offset = make<Ramp>(offset, intImm(1, index), intImm(type.lanes, DataType::Int(32)), index.withLanes(type.lanes));
  }
  auto* view = new Buffer;
  view->name = pointer->name;
  view->data = pointer;
  view->dtype = type.element();
  view->shape = {extent};
  return intrinsic(call.dtype, "address_of", {make<BufferLoad>(BufferRef(view), Array<PrimExpr>{offset}, type)});
}

NodeRef IntrinsicLowering::called(const tir::Call& call) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (!row) return nullptr;
  if (row->name == "if_then_else") return choice(call);
  PrimExpr made = row->name == "tvm_access_ptr" ? accessPointer(call) : rules_.lowered(call);
  return made ? NodeRef(withStack([&] { return rewrite(made); })) : nullptr;
}

/// Comparisons that the sign of a remainder does not change, and a maximum that hides the sign of a quotient.
NodeRef IntrinsicLowering::comparison(const NodeRef& node) {
  const auto* compared = as<BinaryNode>(node);
  if (!isa<Max>(node)) {
    const auto* mod = as<FloorMod>(compared->a);
    if (!mod || asInt(compared->b) != 0) return nullptr;
    const PrimExpr made = arith::makeBinary(node->kind(), arith::truncMod(mod->a, mod->b), compared->b);
    return withStack([&] { return rewrite(made); });
  }
  const auto* division = as<FloorDiv>(compared->a);
  const auto least = asInt(compared->b);
  if (!division || !least || *least < 0 || !canon_.isAtLeast(division->b, 0)) return nullptr;
  const PrimExpr quotient = arith::truncDiv(division->a, division->b);
  return arith::max(withStack([&] { return rewrite(quotient); }), compared->b);
}

NodeRef IntrinsicLowering::enter(const NodeRef& node) {
  if (const auto* call = as<tir::Call>(node)) return called(*call);
  if (const auto* select = as<Select>(node)) return choice(*select);
  if (const auto* bound = as<Let>(node)) return let(*bound);
  if (isa<Max>(node) || isa<EQ>(node) || isa<NE>(node)) return comparison(node);
  return CanonRewriter::enter(node);
}

NodeRef IntrinsicLowering::rebuilt(const NodeRef& old, const NodeRef& node) {
  if (const auto* add = as<Add>(old)) return sum(*add, node);
  if (const auto* division = as<FloorDiv>(node)) return quotient(cast<ExprNode>(old), *division);
  if (const auto* mod = as<FloorMod>(node)) return remainder(*mod);
  return node;
}

/// a * b + c at once where the target can.
NodeRef IntrinsicLowering::sum(const Add& old, const NodeRef& node) {
  const auto* add = as<Add>(node);
  const bool right = isa<Mul>(old.b);
  const auto* product = as<Mul>(right ? add->b : add->a);
  if (!product || (!right && !isa<Mul>(old.a))) return node;
  const PrimExpr& rest = right ? add->a : add->b;
  const PrimExpr a = castLast(product->a), b = castLast(product->b);
  if (add->dtype.code == TypeCode::Float) {
    if (PrimExpr fused = rules_.fusedMultiplyAdd(a, b, rest)) return fused;
  }
  if (a == product->a && b == product->b) return node;
  return make<Add>(make<Mul>(a, b), rest);
}

/// The least c for which a + b * c is not negative for all a, where nothing on the way can overflow.
std::optional<int64_t> IntrinsicLowering::shiftToPositive(const PrimExpr& a, const PrimExpr& b) {
  const auto divisor = asInt(b);
  const DataType type = a->dtype;
  if (!divisor || *divisor <= 0) return std::nullopt;
  const arith::ConstIntBound range = canon_.boundOf(a);
  if (range.min >= 0) return std::nullopt;
  const int64_t most = type.bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (type.bits - 1)) - 1;
  if (range.min == arith::ConstIntBound::kNegInf || *divisor - 1 > most + range.min) return std::nullopt;
  const int64_t count = (*divisor - 1 - range.min) / *divisor;
  if (count > most / *divisor || range.max > most - *divisor * count) return std::nullopt;
  return count;
}

PrimExpr IntrinsicLowering::quotient(const PrimExpr& old, const FloorDiv& node) {
  const PrimExpr &a = node.a, &b = node.b;
  const DataType type = node.dtype;
  if (!type.isInt() && !type.isUInt()) return PrimExpr(&node);
  if (const auto shift = powerOfTwo(b)) return shiftRight(a, *shift);
  const PrimExpr zero = arith::constantInt(type, 0), one = arith::constantInt(type, 1);
  if (canon_.isAtLeast(b, 0)) {
    if (canon_.isAtLeast(a, 0) || canon_.isAtLeast(old, 0)) return arith::truncDiv(a, b);
    if (const auto count = shiftToPositive(a, b)) {
      const PrimExpr moved = arith::add(a, intImm(*asInt(b) * *count, type));
      return arith::sub(arith::truncDiv(moved, b), intImm(*count, type));
    }
    const PrimExpr whole = arith::truncDiv(a, b), rest = arith::truncMod(a, b);
    if (spreadsSign(type)) return arith::add(whole, shiftRight(rest, type.bits - 1));
    return make<Select>(arith::ge(rest, zero), whole, arith::sub(whole, one));
  }
  auto rest = make<Var>(Str("rmod"), type), whole = make<Var>(Str("rdiv"), type);
  const PrimExpr exact = arith::logicalOr(arith::logicalAnd(arith::ge(b, zero), arith::ge(rest, zero)),
                                          arith::logicalAnd(arith::lt(b, zero), arith::le(rest, zero)));
  const PrimExpr chosen = make<Select>(exact, whole, arith::sub(whole, one));
  return make<Let>(rest, arith::truncMod(a, b), make<Let>(whole, arith::truncDiv(a, b), chosen));
}

PrimExpr IntrinsicLowering::remainder(const FloorMod& node) {
  const PrimExpr &a = node.a, &b = node.b;
  const DataType type = node.dtype;
  if (!type.isInt() && !type.isUInt()) return PrimExpr(&node);
  if (powerOfTwo(b)) {
    const PrimExpr mask = intImm(*asInt(b) - 1, type);
    return isa<IntImm>(a) ? arith::truncMod(a, b) : bits("bitwise_and", a, mask);
  }
  const PrimExpr zero = arith::constantInt(type, 0);
  if (canon_.isAtLeast(b, 0)) {
    if (canon_.isAtLeast(a, 0)) return arith::truncMod(a, b);
    if (const auto count = shiftToPositive(a, b)) {
      return arith::truncMod(arith::add(a, intImm(*asInt(b) * *count, type)), b);
    }
    const PrimExpr rest = arith::truncMod(a, b);
    if (spreadsSign(type)) return arith::add(rest, bits("bitwise_and", b, shiftRight(rest, type.bits - 1)));
    return make<Select>(arith::ge(rest, zero), rest, arith::add(rest, b));
  }
  auto rest = make<Var>(Str("rmod"), type);
  const PrimExpr exact = arith::logicalOr(arith::logicalAnd(arith::ge(b, zero), arith::ge(rest, zero)),
                                          arith::logicalAnd(arith::lt(b, zero), arith::le(rest, zero)));
  return make<Let>(rest, arith::truncMod(a, b), make<Select>(exact, rest, arith::add(rest, b)));
}

}  // namespace

Result<PrimFuncRef> lowerIntrin(const PrimFuncRef& func, Scope& scope) {
  const std::string_view kind = ir::targetKind(ir::attrOf(func->attrs, "target"));
  if (kind.empty()) return withoutTarget("intrinsics are lowered for a target");
  const bool fast = pass::configFlag(scope.context, "tirx.enable_fast_math");
  arith::Canon canon(effectOfCall);
  return withBody(func, IntrinsicLowering(canon, IntrinsicRules(kind, fast)).rewrite(func->body));
}

}  // namespace rx::lower
