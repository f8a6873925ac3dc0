#include "core/arith/intervals.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

const IntSet kEverything{};

PrimExpr plusEnd(const PrimExpr& a, const PrimExpr& b) { return a && b ? add(a, b) : nullptr; }
PrimExpr minusEnd(const PrimExpr& a, const PrimExpr& b) { return a && b ? sub(a, b) : nullptr; }
PrimExpr scaledEnd(Kind op, const PrimExpr& end, const PrimExpr& by) { return end ? makeBinary(op, end, by) : nullptr; }

/// The walk over one expression.
class Evaluator {
 public:
  explicit Evaluator(const Domains& domains) : domains_(domains) {}

  IntSet eval(const PrimExpr& expr);

 private:
  IntSet relax(const IntSet& interval);
  IntSet variable(const PrimExpr& expr);
  IntSet binary(const PrimExpr& expr);
  IntSet scaled(Kind op, IntSet a, IntSet b);
  IntSet remainder(const BinaryNode& node, Kind op, const IntSet& a, const IntSet& b);

  const Domains& domains_;
  Canon canon_;
  size_t depth_ = 0;
  std::unordered_map<const Node*, IntSet> known_;
  std::unordered_set<const Node*> open_;
};

IntSet Evaluator::eval(const PrimExpr& expr) {
  if (isa<IntImm>(expr)) return IntSet::point(expr);
  if (isa<Var>(expr)) return variable(expr);
  if (isa<BinaryNode>(expr)) return binary(expr);
  if (const auto* select = as<Select>(expr)) {
    const IntSet yes = eval(select->trueValue), no = eval(select->falseValue);
    if (yes.nothing || no.nothing) return yes.nothing ? no : yes;
    return {yes.min && no.min ? min(no.min, yes.min) : nullptr, yes.max && no.max ? max(no.max, yes.max) : nullptr};
  }
  if (const auto* convert = as<Cast>(expr)) {
    const IntSet value = eval(convert->value);
    if (value.nothing) return value;
    if (value.isPoint()) return IntSet::point(cast(expr->dtype, value.min));
    return {value.min ? cast(expr->dtype, value.min) : nullptr, value.max ? cast(expr->dtype, value.max) : nullptr};
  }
  if (const auto* load = as<BufferLoad>(expr)) {
    if (!expr->dtype.isInt() && !expr->dtype.isUInt()) return kEverything;
    for (const PrimExpr& index : load->indices) {
      const auto free = freeVars(index);
      if (std::ranges::any_of(free, [&](const VarRef& var) { return domains_.contains(var.get()); }))
        return kEverything;
    }
    return IntSet::point(expr);
  }
  return asIntrinsic(expr, "vscale") ? IntSet::point(expr) : kEverything;
}

IntSet Evaluator::relax(const IntSet& interval) {
  if (depth_ >= domains_.size() || interval.nothing) return interval;
  ++depth_;
  IntSet result{interval.min ? eval(interval.min).min : nullptr, interval.max ? eval(interval.max).max : nullptr};
  --depth_;
  return result;
}

IntSet Evaluator::variable(const PrimExpr& expr) {
  const auto domain = domains_.find(as<Var>(expr));
  if (domain == domains_.end()) return IntSet::point(expr);
  const IntSet& given = domain->second;
  if (given.min == expr && given.max == expr) return given;
  if (const auto known = known_.find(expr.get()); known != known_.end()) return known->second;
  if (!open_.insert(expr.get()).second) return given;
  const IntSet relaxed = relax(given);
  open_.erase(expr.get());
  known_[expr.get()] = relaxed;
  return relaxed;
}

IntSet Evaluator::binary(const PrimExpr& expr) {
  const auto* node = as<BinaryNode>(expr);
  const IntSet a = eval(node->a), b = eval(node->b);
  const auto same = [](const IntSet& set, const PrimExpr& value) { return set.min == value && set.max == value; };
  if (same(a, node->a) && same(b, node->b)) return IntSet::point(expr);
  const Kind op = expr->kind();
  if (a.isPoint() && b.isPoint()) return IntSet::point(makeBinary(op, a.min, b.min));
  if (op >= Kind::tir_EQ) return {boolImm(false), boolImm(true)};
  if (a.nothing) return a;
  if (b.nothing) return b;
  switch (op) {
    case Kind::tir_Add:
      return {plusEnd(a.min, b.min), plusEnd(a.max, b.max)};
    case Kind::tir_Sub:
      return {minusEnd(a.min, b.max), minusEnd(a.max, b.min)};
    case Kind::tir_Mul:
    case Kind::tir_Div:
    case Kind::tir_FloorDiv:
      return scaled(op, a, b);
    case Kind::tir_Mod:
    case Kind::tir_FloorMod:
      return remainder(*node, op, a, b);
    case Kind::tir_Min:
      return {a.min && b.min ? min(a.min, b.min) : nullptr, a.max && b.max ? min(a.max, b.max) : a.max ? a.max : b.max};
    default:
      return {a.min && b.min ? max(a.min, b.min) : a.min ? a.min : b.min, a.max && b.max ? max(a.max, b.max) : nullptr};
  }
}

IntSet Evaluator::scaled(Kind op, IntSet a, IntSet b) {
  if (op == Kind::tir_Mul && a.isPoint()) std::swap(a, b);
  if (!b.isPoint()) return kEverything;
  const PrimExpr& by = b.min;
  if (isZero(by)) return op == Kind::tir_Mul ? b : kEverything;
  if (isOne(by)) return a;
  if (canon_.isAtLeast(by, 0)) return {scaledEnd(op, a.min, by), scaledEnd(op, a.max, by)};
  if (canon_.isAtLeast(neg(by), 1)) return {scaledEnd(op, a.max, by), scaledEnd(op, a.min, by)};
  if (!a.min || !a.max) return kEverything;
  const PrimExpr sign = ge(by, constantInt(by->dtype, 0)), low = makeBinary(op, a.min, by),
                 high = makeBinary(op, a.max, by);
  return {make<Select>(sign, low, high), make<Select>(sign, high, low)};
}

IntSet Evaluator::remainder(const BinaryNode& node, Kind op, const IntSet& a, const IntSet& b) {
  if (!b.isPoint() || isZero(b.min)) return kEverything;
  const PrimExpr& divisor = b.min;
  const PrimExpr one = constantInt(divisor->dtype, 1), zero = constantInt(divisor->dtype, 0);
  if (!canon_.isAtLeast(divisor, 0)) {
    const PrimExpr most = sub(max(divisor, neg(divisor)), one);
    return {neg(most), most};
  }
  const auto by = asInt(divisor);
  if (op == Kind::tir_FloorMod && by) {
    if (a.min && a.max) {
      const PrimExpr low = floorDiv(a.min, divisor);
      if (canon_.canProve(eq(floorDiv(a.max, divisor), low))) {
        return {sub(a.min, mul(divisor, low)), sub(a.max, mul(divisor, low))};
      }
    }
    // A multiple of g and a constant.
    const ModularSet set = canon_.modularOf(node.a);
    const int64_t step = std::gcd(set.coeff, *by);
    if (set.coeff > 0 && step > 1) {
      const int64_t most = *by - step + set.base % step;
      if (most >= 0 && most < *by) return {zero, constantInt(node.dtype, most)};
    }
  }
  return {zero, sub(divisor, one)};
}

}  // namespace

IntSet intersection(Canon& canon, const IntSet& a, const IntSet& b) {
  if (a.nothing || b.nothing) return {nullptr, nullptr, true};
  IntSet both{a.min && b.min ? max(a.min, b.min)
              : a.min        ? a.min
                             : b.min,
              a.max && b.max ? min(a.max, b.max)
              : a.max        ? a.max
                             : b.max};
  if (both.min && both.max && canon.canProve(lt(both.max, both.min))) return {nullptr, nullptr, true};
  return both;
}

IntSet valuesOf(const PrimExpr& expr, const Domains& domains) {
  return isDeeper(expr, Canon::kMaxDepth) ? kEverything : Evaluator(domains).eval(expr);
}

}  // namespace rx::arith
