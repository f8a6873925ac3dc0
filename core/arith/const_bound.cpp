// Source of the rules: interval arithmetic as TVM v0.25 has it (src/arith/const_int_bound.cc), since canonical forms
// depend on what is proven.
#include "core/arith/const_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/saturating.h"
#include "core/arith/state.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

using Bound = ConstIntBound;

/// The hull of op over all pairs of ends.
template <class Op>
Bound corners(Bound a, Bound b, Op op) {
  const int64_t values[] = {op(a.min, b.min), op(a.max, b.max), op(a.min, b.max), op(a.max, b.min)};
  return {*std::ranges::min_element(values), *std::ranges::max_element(values)};
}
Bound hull(Bound a, Bound b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }
Bound meet(Bound a, Bound b) { return {std::max(a.min, b.min), std::min(a.max, b.max)}; }

/// A valid program divides by no zero: where a divisor may be 0 at the least, it is 1.
Bound withoutZero(Bound divisor) {
  if (divisor.min == 0) divisor.min = 1;
  divisor.max = std::max(divisor.max, divisor.min);
  return divisor;
}

template <class Op>
Bound quotient(Bound a, Bound b, DataType type, Op op) {
  if (b.min > 0 || b.max < 0) return corners(a, b, op);
  const Bound all = boundOfType(type);
  const Bound negative = b.min < 0 ? Bound{b.min, -1} : all, positive = b.max > 0 ? Bound{1, b.max} : all;
  auto safe = [&](int64_t x, int64_t y) { return y == 0 ? x : op(x, y); };
  return hull(corners(a, negative, safe), corners(a, positive, safe));
}

int64_t shiftedLeft(int64_t x, int64_t by) {
  if (isInfinite(x)) return x;
  const int bits = std::bit_width(static_cast<uint64_t>(std::abs(x)));
  return bits + by < 64 ? x << by : Bound::kPosInf;
}
int64_t shiftedRight(int64_t x, int64_t by) { return isInfinite(x) ? x : by >= 63 ? (x < 0 ? -1 : 0) : x >> by; }

int64_t ceilLog2(int64_t x) {
  return x <= 1 ? (x == 1 ? 0 : Bound::kNegInf) : isInfinite(x) ? 63 : std::bit_width(static_cast<uint64_t>(x - 1));
}

}  // namespace

Bound ConstBounds::of(const PrimExpr& expr) {
  if (const auto* imm = as<IntImm>(expr)) return {imm->value, imm->value};
  if (const Bound* known = cache_.find(expr.get(), inForce_)) return *known;
  Bound bound = compute(*expr);
  for (const Fact& fact : facts) {
    if (fact.expr->kind() == expr->kind() && sameExpr(fact.expr, expr)) bound = meet(bound, fact.bound);
  }
  cache_.put(expr, inForce_, bound);
  return bound;
}

Bound ConstBounds::compute(const ExprNode& expr) {
  if (const auto* var = as<Var>(&expr)) {
    const auto found = vars_.find(var);
    if (found != vars_.end()) return found->second.first;
    Bound all = boundOfType(expr.dtype);
    if (isa<SizeVar>(&expr)) all.min = 0;
    return all;
  }
  if (const auto* binary = as<BinaryNode>(&expr); binary && expr.kind() <= Kind::tir_Max) return computeBinary(*binary);
  if (const auto* select = as<Select>(&expr)) return hull(of(select->trueValue), of(select->falseValue));
  if (const auto* call = as<Call>(&expr)) return computeCall(*call);
  if (const auto* convert = as<Cast>(&expr)) return computeCast(*convert);
  if (const auto* spread = as<Broadcast>(&expr)) return of(spread->value);
  if (const auto* ramp = as<Ramp>(&expr)) {
    return hull(of(ramp->base),
                of(add(ramp->base, mul(sub(ramp->lanes, intImm(1, ramp->lanes->dtype)), ramp->stride))));
  }
  if (const auto* let = as<Let>(&expr)) {
    if (vars_.contains(let->var.get())) return of(let->body);
    vars_[let->var.get()] = {of(let->value), let->var};
    forget();
    const Bound bound = of(let->body);
    vars_.erase(let->var.get());
    forget();
    return bound;
  }
  return boundOfType(expr.dtype);
}

Bound ConstBounds::computeBinary(const BinaryNode& node) {
  const Bound a = of(node.a), b = of(node.b);
  switch (node.kind()) {
    case Kind::tir_Add:
      return {plusInf(a.min, b.min), plusInf(a.max, b.max)};
    case Kind::tir_Sub:
      return {plusInf(a.min, negatedInf(b.max)), plusInf(a.max, negatedInf(b.min))};
    case Kind::tir_Mul:
      return corners(a, b, timesInf);
    case Kind::tir_Div:
      return quotient(a, withoutZero(b), node.dtype, truncDivInf);
    case Kind::tir_FloorDiv:
      return quotient(a, withoutZero(b), node.dtype, floorDivInf);
    case Kind::tir_Mod:
      return remainder(node, a, withoutZero(b), false);
    case Kind::tir_FloorMod:
      return remainder(node, a, withoutZero(b), true);
    case Kind::tir_Min:
      return {std::min(a.min, b.min), std::min(a.max, b.max)};
    default:
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
  }
}

Bound ConstBounds::remainder(const BinaryNode& node, Bound a, Bound b, bool floor) {
  const int64_t top = plusInf(b.max, -1);
  if (b.min <= 0) {
    if (!floor) return boundOfType(node.dtype);
    return meet({std::min<int64_t>(0, plusInf(b.min, 1)), std::max<int64_t>(0, top)}, boundOfType(node.dtype));
  }
  Bound range;
  if (a.min >= 0) {
    range = a.max < b.min ? a : Bound{0, std::min(a.max, top)};
  } else if (floor) {
    range = {0, top};
  } else if (a.max < 0) {
    range = a.min > -b.min ? a : Bound{std::max(a.min, -top), 0};
  } else {
    range = {std::max(a.min, -top), std::min(std::max<int64_t>(a.max, 0), top)};
  }
  if (!b.isConst()) return range;
  // Of a multiple of g plus r, the remainder by a multiple of g is one of r, r + g, ...
  const ModularSet set = facts_.modularOf(node.a);
  const int64_t modulus = b.min, step = std::gcd(set.coeff, modulus);
  if (step <= 1) return range;
  const int64_t low = floorModInt(set.base, step), high = modulus - step + low;
  if (floor || a.min >= 0) return meet(range, {low, high});
  const int64_t mirrored = (step - low) % step, least = -(modulus - step + mirrored);
  return meet(range, a.max < 0 ? Bound{least, -mirrored} : Bound{least, high});
}

Bound ConstBounds::computeCall(const Call& call) {
  const Bound all = boundOfType(call.dtype);
  const bool left = asIntrinsic(&call, "shift_left"), right = asIntrinsic(&call, "shift_right");
  const bool both = asIntrinsic(&call, "bitwise_and");
  if (call.args.size() != 2 || !(left || right || both)) return all;
  const Bound a = of(call.args[0]), b = of(call.args[1]);
  if (left) return a.min < 0 || b.min < 0 ? all : corners(a, b, shiftedLeft);
  if (right) return b.min < 0 ? all : corners(a, b, shiftedRight);
  if (a.min >= 0 && b.min >= 0) return {0, std::min(a.max, b.max)};
  if (b.min >= 0) return {0, b.max};
  return a.min >= 0 ? Bound{0, a.max} : all;
}

Bound ConstBounds::computeCast(const Cast& node) {
  Bound inner = boundOfType(node.value->dtype);
  // int(ceil(log2(x))) counts the levels of a reduction and stands in extents of loops.
  const Call* ceil = node.dtype.isInt() ? asIntrinsic(node.value, "ceil") : nullptr;
  if (const Call* log = ceil ? asIntrinsic(ceil->args[0], "log2") : nullptr) {
    if (const auto* real = as<FloatImm>(log->args[0])) {
      const auto value = static_cast<int64_t>(std::ceil(std::log2(real->value)));
      inner = {value, value};
    } else {
      const Bound arg = of(log->args[0]);
      inner = {ceilLog2(arg.min), ceilLog2(arg.max)};
    }
  } else {
    inner = of(node.value);
  }
  return meet(inner, boundOfType(node.dtype));
}

bool ConstBounds::set(const VarRef& var, Bound bound) {
  auto& known = vars_[var.get()];
  if (known.second && known.first == bound) return false;
  known = {bound, var};
  forget();
  return true;
}

void ConstBounds::note(const PrimExpr& expr, int64_t min, int64_t max) {
  // Memory may change below the condition. (TVM takes such bounds for lasting.)
  if (!isa<IntImm>(expr) && facts_.isPure(expr)) facts.push_back({expr, {min, max}});
}

void ConstBounds::enter(const PrimExpr& condition) {
  std::vector<PrimExpr> open{condition};
  while (!open.empty()) {
    const PrimExpr next = std::move(open.back());
    open.pop_back();
    const auto* binary = as<BinaryNode>(next);
    if (!binary) continue;
    if (isa<And>(next)) {
      open.push_back(binary->b);
      open.push_back(binary->a);
      continue;
    }
    const bool flipped = next->kind() == Kind::tir_GT || next->kind() == Kind::tir_GE;
    const PrimExpr &low = flipped ? binary->b : binary->a, &high = flipped ? binary->a : binary->b;
    const auto below = asInt(low), above = asInt(high);
    switch (next->kind()) {
      case Kind::tir_LE:
      case Kind::tir_GE:
      case Kind::tir_LT:
      case Kind::tir_GT: {
        const int64_t strict = next->kind() == Kind::tir_LT || next->kind() == Kind::tir_GT;
        if (below) {
          note(high, plusInf(*below, strict), Bound::kPosInf);
        } else if (above) {
          note(low, Bound::kNegInf, plusInf(*above, -strict));
        }
        break;
      }
      case Kind::tir_EQ:
        if (above) note(low, *above, *above);
        if (below) note(high, *below, *below);
        break;
      default:
        break;
    }
  }
}

void ConstBounds::leave(size_t count) { facts.resize(count); }

}  // namespace rx::arith
