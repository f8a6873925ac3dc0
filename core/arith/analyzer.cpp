#include "core/arith/analyzer.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/state.h"

namespace rx::arith {

using namespace tir;

Analyzer::Analyzer() : state_(std::make_unique<State>()) {}
Analyzer::~Analyzer() = default;

PrimExpr Analyzer::simplify(const PrimExpr& expr) {
  if (!expr || isa<IntImm>(expr) || (isa<Var>(expr) && state_->values.empty())) return expr;
  // A second round sees what the first made; forms are stable after it in practice, and correct in any case.
  PrimExpr once = simplifyTree(*state_, expr);
  return once == expr ? once : simplifyTree(*state_, once);
}

namespace {
/// Sets a flag for a scope.
struct Flag {
  explicit Flag(bool& f) : flag(f), before(f) { flag = true; }
  ~Flag() { flag = before; }
  bool& flag;
  bool before;
};
}  // namespace

bool Analyzer::canProveEqual(const PrimExpr& a, const PrimExpr& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  auto x = asInt(a), y = asInt(b);
  if (x && y) return *x == *y;
  if (sameExpr(a, b)) return true;
  if (!a->dtype.isIntegral() || !b->dtype.isIntegral() || a->dtype.isBool() != b->dtype.isBool()) return false;
  Flag proving(state_->proving);
  PrimExpr left = a, right = b;
  if (!matchTypes(left, right)) return false;
  left = simplify(left);
  right = simplify(right);
  if (sameExpr(left, right)) return true;
  if (!isIndexType(left->dtype)) return false;
  PrimExpr difference = simplify(sub(left, right));
  if (auto zero = asInt(difference)) return *zero == 0;
  return state_->bound(difference) == ConstIntBound{0, 0} || samePolynomial(left, right);
}

bool Analyzer::canProve(const PrimExpr& condition) {
  if (auto value = asInt(condition)) return *value != 0;
  Flag proving(state_->proving);
  std::vector<PrimExpr> open{simplify(condition)};
  while (!open.empty()) {
    PrimExpr next = std::move(open.back());
    open.pop_back();
    if (auto value = asInt(next); value && *value) continue;
    if (const auto* both = as<And>(next)) {
      open.push_back(both->a);
      open.push_back(both->b);
    } else if (const auto* equal = as<EQ>(next); !equal || !canProveEqual(equal->a, equal->b)) {
      return false;
    }
  }
  return true;
}

bool Analyzer::canProveGreaterEqual(const PrimExpr& expr, int64_t lower) {
  return constIntBound(simplify(expr)).min >= lower;
}
bool Analyzer::canProveLess(const PrimExpr& expr, int64_t upper) { return constIntBound(simplify(expr)).max < upper; }

ConstIntBound Analyzer::constIntBound(const PrimExpr& expr) {
  if (!expr->dtype.isIntegral()) return {};
  ConstIntBound direct = state_->bound(expr);
  if (direct.isConst()) return direct;
  ConstIntBound other = state_->bound(simplify(expr));
  return {std::max(direct.min, other.min), std::min(direct.max, other.max)};
}

void Analyzer::bind(const VarRef& var, const Range& range) {
  if (isOne(range.extent)) return bind(var, range.min);
  ConstIntBound low = constIntBound(range.min), size = constIntBound(range.extent);
  ConstIntBound bound{low.min, ConstIntBound::kPosInf};
  if (low.max != ConstIntBound::kPosInf && size.max != ConstIntBound::kPosInf) {
    int64_t top = 0;
    if (!__builtin_add_overflow(low.max, size.max - 1, &top)) bound.max = top;
  }
  state_->kept.push_back(var);
  if (isZero(range.min) && !isa<IntImm>(range.extent)) state_->below[var.get()] = simplify(range.extent);
  setBound(var, bound);
}

void Analyzer::bind(const VarRef& var, const PrimExpr& value) {
  state_->kept.push_back(var);
  state_->values[var.get()] = cast(var->dtype, simplify(value));
  state_->forget();
}

void Analyzer::setBound(const VarRef& var, ConstIntBound bound) {
  state_->kept.push_back(var);
  auto [entry, fresh] = state_->bounds.emplace(var.get(), bound);
  if (!fresh) {
    entry->second = {std::max(entry->second.min, bound.min), std::min(entry->second.max, bound.max)};
  }
  state_->forget();
}

Analyzer::Constraint::Constraint(Analyzer& analyzer, const PrimExpr& condition) : analyzer_(analyzer) {
  PrimExpr simple = analyzer.simplify(condition);
  State& state = *analyzer.state_;
  state.mark();
  state.assume(simple);
}

Analyzer::Constraint::~Constraint() { analyzer_.state_->leave(); }

}  // namespace rx::arith
