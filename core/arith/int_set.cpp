#include "core/arith/int_set.h"

#include <unordered_set>

#include "core/arith/canon.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

namespace {

PrimExpr one(const PrimExpr& like) { return constantInt(like->dtype, 1); }
PrimExpr zero(const PrimExpr& like) { return constantInt(like->dtype, 0); }

/// f(a, b), or null where either is.
template <class F>
PrimExpr both(const PrimExpr& a, const PrimExpr& b, F f) {
  return a && b ? f(a, b) : nullptr;
}

class Evaluator {
 public:
  explicit Evaluator(const Domains& domains, Canon* facts = nullptr) : domains_(domains), facts_(facts) {}

  IntSet of(const PrimExpr& root) {
    walkPostOrder(*root, Into::Parts, [&](const Node& node) {
      if (!isa<ExprNode>(&node) || done_.contains(&node)) return;
      done_[&node] = step(PrimExpr(static_cast<const ExprNode*>(&node)));
    });
    return done_[root.get()];
  }

  IntSet ends(const IntSet& set) {
    if (set.nothing) return set;
    return {set.min ? of(set.min).min : nullptr, set.max ? of(set.max).max : nullptr};
  }

 private:
  IntSet step(const PrimExpr& expr) {
    if (isa<IntImm>(expr)) return IntSet::point(expr);
    if (const auto* var = as<Var>(expr)) return ofVar(expr, var);
    if (isa<BinaryNode>(expr)) return binary(expr);
    if (const auto* convert = as<Cast>(expr)) {
      const IntSet value = done_[convert->value.get()];
      if (value.nothing) return value;
      if (value.isPoint()) return IntSet::point(arith::cast(expr->dtype, value.min));
      return {value.min ? arith::cast(expr->dtype, value.min) : nullptr,
              value.max ? arith::cast(expr->dtype, value.max) : nullptr};
    }
    if (const auto* choice = as<Select>(expr)) {
      const IntSet yes = done_[choice->trueValue.get()], no = done_[choice->falseValue.get()];
      if (yes.nothing || no.nothing) return yes.nothing ? no : yes;
      return {both(no.min, yes.min, arith::min), both(no.max, yes.max, arith::max)};
    }
    if (const auto* ramp = as<Ramp>(expr)) return ofRamp(*ramp);
    if (const auto* broadcast = as<Broadcast>(expr)) return done_[broadcast->value.get()];
    if (const auto* load = as<BufferLoad>(expr)) return ofLoad(expr, *load);
    return IntSet::everything();
  }

  /// A variable's domain may itself run: its ends are evaluated too, each variable once, circles left as they are.
  IntSet ofVar(const PrimExpr& expr, const Var* var) {
    const auto domain = domains_.find(var);
    if (domain == domains_.end()) return IntSet::point(expr);
    if (const auto known = vars_.find(var); known != vars_.end()) return known->second;
    if (open_.size() >= domains_.size() || !open_.insert(var).second) return domain->second;
    Evaluator inner(domains_, facts_);
    inner.open_ = open_;
    const IntSet made = inner.ends(domain->second);
    open_.erase(var);
    return vars_[var] = made;
  }

  IntSet ofLoad(const PrimExpr& expr, const BufferLoad& load) {
    if (!expr->dtype.isIntegral()) return IntSet::everything();
    for (const PrimExpr& index : load.indices) {
      for (const VarRef& var : freeVars(index)) {
        if (domains_.contains(var.get())) return IntSet::everything();
      }
    }
    return IntSet::point(expr);
  }

  IntSet ofRamp(const Ramp& ramp) {
    const auto stride = asInt(ramp.stride), lanes = asInt(ramp.lanes);
    const IntSet base = done_[ramp.base.get()];
    if (!stride || !lanes || base.nothing) return IntSet::everything();
    const PrimExpr last = constantInt(ramp.base->dtype, *stride * (*lanes - 1));
    const PrimExpr low = *stride > 0 ? zero(ramp.base) : last, high = *stride > 0 ? last : zero(ramp.base);
    return {both(base.min, low, arith::add), both(base.max, high, arith::add)};
  }

  IntSet binary(const PrimExpr& expr) {
    const auto* node = as<BinaryNode>(expr);
    const IntSet a = done_[node->a.get()], b = done_[node->b.get()];
    if (a.isPoint() && b.isPoint()) {
      if (a.min == node->a && b.min == node->b) return IntSet::point(expr);
      return IntSet::point(makeBinary(expr->kind(), a.min, b.min));
    }
    if (expr->kind() >= Kind::tir_EQ) return {constantInt(expr->dtype, 0), constantInt(expr->dtype, 1)};
    if (a.nothing || b.nothing) return a.nothing ? a : b;
    switch (expr->kind()) {
      case Kind::tir_Add:
        return {both(a.min, b.min, arith::add), both(a.max, b.max, arith::add)};
      case Kind::tir_Sub:
        return {both(a.min, b.max, arith::sub), both(a.max, b.min, arith::sub)};
      case Kind::tir_Mul:
        return a.isPoint() ? scaled(Kind::tir_Mul, b, a) : scaled(Kind::tir_Mul, a, b);
      case Kind::tir_Div:
      case Kind::tir_FloorDiv:
        return scaled(expr->kind(), a, b);
      case Kind::tir_Mod:
      case Kind::tir_FloorMod:
        return remainder(expr->kind(), a, b);
      case Kind::tir_Min:
        return {both(a.min, b.min, arith::min), a.max && b.max ? arith::min(a.max, b.max) : a.max ? a.max : b.max};
      case Kind::tir_Max:
        return {a.min && b.min ? arith::max(a.min, b.min) : a.min ? a.min : b.min, both(a.max, b.max, arith::max)};
      default:
        return IntSet::everything();
    }
  }

  /// a * b or a / b for one b.
  IntSet scaled(Kind op, const IntSet& a, const IntSet& b) {
    if (!b.isPoint()) return IntSet::everything();
    const PrimExpr& factor = b.min;
    if (isZero(factor)) return op == Kind::tir_Mul ? b : IntSet::everything();
    if (isOne(factor)) return a;
    auto by = [&](const PrimExpr& end) { return end ? makeBinary(op, end, factor) : nullptr; };
    if (atLeast(factor, 0)) return {by(a.min), by(a.max)};
    if (atLeast(neg(factor), 1)) return {by(a.max), by(a.min)};
    if (!a.bounded()) return IntSet::everything();
    const PrimExpr positive = ge(factor, zero(factor));
    return {select(positive, by(a.min), by(a.max)), select(positive, by(a.max), by(a.min))};
  }

  IntSet remainder(Kind op, const IntSet& a, const IntSet& b) {
    if (!b.isPoint() || isZero(b.min)) return IntSet::everything();
    const PrimExpr& divisor = b.min;
    if (!atLeast(divisor, 0)) return IntSet::everything();
    if (op == Kind::tir_FloorMod && isa<IntImm>(divisor) && a.bounded()) {
      const PrimExpr low = floorDiv(a.min, divisor);
      if (analyzer_.canProveEqual(low, floorDiv(a.max, divisor))) {
        const PrimExpr base = mul(divisor, low);
        return {sub(a.min, base), sub(a.max, base)};
      }
    }
    return {zero(divisor), sub(divisor, one(divisor))};
  }

  bool atLeast(const PrimExpr& expr, int64_t least) {
    return analyzer_.canProveGreaterEqual(expr, least) || (facts_ && facts_->isAtLeast(expr, least));
  }

  const Domains& domains_;
  Canon* const facts_;  ///< what else is known; may be null
  Analyzer analyzer_;
  std::unordered_map<const Node*, IntSet> done_;
  std::unordered_map<const Var*, IntSet> vars_;
  std::unordered_set<const Var*> open_;
};

}  // namespace

IntSet IntSet::fromRange(const PrimExpr& min, const PrimExpr& extent) {
  if (isOne(extent)) return point(min);
  return {min, sub(add(extent, min), one(extent))};
}

IntSet evalSet(const PrimExpr& expr, const Domains& domains) {
  if (!expr->dtype.isScalar()) {
    static const Domains kNone;
    return evalSet(Evaluator(kNone).of(expr), domains);
  }
  return Evaluator(domains).of(expr);
}

IntSet evalSet(const IntSet& set, const Domains& domains) { return Evaluator(domains).ends(set); }

IntSet evalSet(const Range& range, const Domains& domains) {
  Analyzer analyzer;
  if (analyzer.canProveEqual(range.extent, one(range.extent))) return evalSet(range.min, domains);
  // Simplified first: the ends may share variables.
  const PrimExpr last = analyzer.simplify(sub(add(range.min, range.extent), one(range.min)));
  if (domains.empty()) return {range.min, last};
  return evalSet(IntSet{range.min, last}, domains);
}

IntSet unite(const IntSet& a, const IntSet& b) {
  if (a.nothing) return b;
  if (b.nothing) return a;
  Canon analyzer;
  // Which of two ends counts is often known where the simplifier leaves both: of a tile and its part below a bound.
  const auto lower = [&](const PrimExpr& x, const PrimExpr& y) {
    return analyzer.canProve(le(x, y)) ? x : analyzer.canProve(le(y, x)) ? y : min(x, y);
  };
  const auto upper = [&](const PrimExpr& x, const PrimExpr& y) {
    return analyzer.canProve(le(y, x)) ? x : analyzer.canProve(le(x, y)) ? y : max(x, y);
  };
  const auto end = [&](const PrimExpr& x, const PrimExpr& y, const auto& pick) -> PrimExpr {
    return x && y ? analyzer.simplify(pick(x, y)) : nullptr;
  };
  return {end(a.min, b.min, lower), end(a.max, b.max, upper)};
}

IntSet intersect(const IntSet& a, const IntSet& b) {
  if (a.nothing || b.nothing) return IntSet::none();
  Canon analyzer;
  auto end = [&](const PrimExpr& x, const PrimExpr& y, PrimExpr (*pick)(PrimExpr, PrimExpr)) -> PrimExpr {
    if (!x || !y) return x ? x : y;
    return analyzer.simplify(pick(x, y));
  };
  IntSet made{end(a.min, b.min, arith::max), end(a.max, b.max, arith::min)};
  if (made.bounded() && analyzer.canProve(lt(made.max, made.min))) return IntSet::none();
  return made;
}

Ref<Range> cover(const IntSet& set, const Ref<Range>& otherwise) {
  if (!set.bounded()) return otherwise;
  Canon analyzer;
  return make<Range>(analyzer.simplify(set.min), analyzer.simplify(sub(add(set.max, one(set.max)), set.min)));
}

bool canProveBySets(const PrimExpr& comparison, const Domains& domains, Canon& canon) {
  if (canon.canProve(comparison)) return true;
  const auto* sides = as<tir::BinaryNode>(comparison);
  if (!sides) return false;
  const bool less = isa<tir::LT>(comparison) || isa<tir::LE>(comparison);
  const bool greater = isa<tir::GT>(comparison) || isa<tir::GE>(comparison);
  if (!less && !greater) return false;
  const int64_t least = isa<tir::LT>(comparison) || isa<tir::GT>(comparison) ? 1 : 0;
  const PrimExpr difference = less ? sub(sides->b, sides->a) : sub(sides->a, sides->b);
  const IntSet set = Evaluator(domains, &canon).of(canon.simplify(difference));
  return set.min && canon.boundOf(canon.simplify(set.min)).min >= least;
}

}  // namespace rx::arith
