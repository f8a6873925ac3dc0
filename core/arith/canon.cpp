#include "core/arith/canon.h"

#include <algorithm>

#include "core/arith/canonicalizer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/parts.h"
#include "core/arith/rewriter.h"
#include "core/arith/saturating.h"
#include "core/arith/state.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/short_memory.h"

namespace rx::arith {

using namespace tir;

namespace {

/// Whether the expression, its shared parts counted each time, has at most so many operators.
bool isSmall(const PrimExpr& expr, size_t most) {
  ShortMemory<2048> memory;
  std::pmr::vector<const Node*> open(memory.resource());
  open.reserve(64);
  open.push_back(expr.get());
  for (size_t met = 0; !open.empty(); ++met) {
    if (met == most) return false;
    const Node* node = open.back();
    open.pop_back();
    eachPart(*node, [&](const Node* part) {
      if (isa<ExprNode>(part) && !isLeaf(*part)) open.push_back(part);
    });
  }
  return true;
}

}  // namespace

bool isDeeper(const PrimExpr& expr, size_t limit) {
  if (isLeaf(*expr) || isSmall(expr, std::min<size_t>(limit, 64))) return false;
  struct Open {
    const Node* node;
    size_t level;
  };
  std::vector<Open> open{{expr.get(), 1}};
  std::vector<const Node*> parts;
  std::unordered_map<const Node*, size_t> seen;
  while (!open.empty()) {
    const auto [node, level] = open.back();
    open.pop_back();
    if (level > limit) return true;
    parts.clear();
    appendChildren(*node, Into::Parts, parts);
    for (const Node* part : parts) {
      if (!isa<ExprNode>(part) || isa<Var>(part) || isa<IntImm>(part)) continue;
      size_t& known = seen[part];
      if (known > level) continue;
      known = level + 1;
      open.push_back({part, level + 1});
    }
  }
  return false;
}

namespace {

bool isNumber(const PrimExpr& e) { return isa<IntImm>(e) || isa<FloatImm>(e); }

}  // namespace

Canon::Canon(CallEffect callEffect)
    : callEffect_(callEffect),
      bounds_(*this, facts_),
      modulars_(*this, facts_),
      rewriter_(std::make_unique<Rewriter>(*this)),
      canonicalizer_(std::make_unique<Canonicalizer>(*this)) {}
Canon::~Canon() = default;

void Canon::forget() {
  bounds_.forget();
  modulars_.forget();
  rewriter_->forget();
  canonicalizer_->forget();
  steps_.clear();
}

PrimExpr Canon::linear(const PrimExpr& expr) {
  return isNumber(expr) || isDeeper(expr, kMaxDepth) ? expr : canonicalizer_->visit(expr);
}

PrimExpr Canon::rewrite(const PrimExpr& expr) {
  if (isNumber(expr) || isDeeper(expr, kMaxDepth)) return expr;
  // What the first walk made may fit more rules.
  const PrimExpr once = rewriter_->visit(expr);
  return once == expr ? once : rewriter_->visit(once);
}

PrimExpr Canon::simplify(const PrimExpr& expr) {
  // A variable stays unless it has a value, or is a condition that may be known.
  if (isa<Var>(expr) && expr->dtype != DataType::Bool() && !values_.contains(as<Var>(expr))) return expr;
  PrimExpr value = linear(expr);
  if (isa<IntImm>(value)) return value;
  value = rewrite(value);
  if (isa<IntImm>(value)) return value;
  value = linear(value);
  return value != expr && sameExpr(value, expr) ? expr : value;
}

bool Canon::canProve(const PrimExpr& condition) {
  if (const auto value = asInt(condition)) return *value != 0;
  const auto value = asInt(simplify(condition));
  return value && *value != 0;
}

bool Canon::canProveEqual(const PrimExpr& a, const PrimExpr& b) {
  const auto x = asInt(a), y = asInt(b);
  if (x && y) return *x == *y;
  return canProve(eq(sub(a, b), constantInt(a->dtype, 0)));
}

ConstIntBound Canon::boundOf(const PrimExpr& expr) {
  if (!expr->dtype.isIntegral()) return {};
  return bounds_.of(expr);
}
ModularSet Canon::modularOf(const PrimExpr& expr) { return modulars_.of(expr); }

bool Canon::isAtLeast(const PrimExpr& expr, int64_t value) {
  if (const auto number = asInt(expr)) return *number >= value;
  return boundOf(rewrite(expr)).min >= value;
}
bool Canon::isBelow(const PrimExpr& expr, int64_t value) {
  if (const auto number = asInt(expr)) return *number < value;
  return boundOf(rewrite(expr)).max < value;
}
bool Canon::isEqual(const PrimExpr& expr, int64_t value) { return rewriter_->compare(expr, value) == Order::Equal; }
bool Canon::writesNothing(const PrimExpr& expr) { return effectOf(expr, callEffect_) != Effect::Writes; }

void Canon::bind(const VarRef& var, const PrimExpr& min, const PrimExpr& extent) {
  if (isOne(extent)) return bind(var, min);
  const ConstIntBound low = boundOf(min), size = boundOf(extent);
  setBound(var, {low.min, plusInf(low.max, plusInf(size.max, -1))});
  const auto known = bindings_.find(var.get());
  if (known != bindings_.end()) {
    if (sameExpr(known->second.min, min) && sameExpr(known->second.extent, extent)) return;
    comparisons_.drop(var);
  }
  forget();
  bindings_[var.get()] = {var, min, extent};
  if (isPure(min)) comparisons_.learn(Kind::tir_GE, var, min);
  const PrimExpr end = add(min, extent);
  if (isPure(end)) comparisons_.learn(Kind::tir_LT, var, end);
}

void Canon::bind(const VarRef& var, const PrimExpr& value) {
  const PrimExpr simple = rewrite(linear(value));
  if (simple->dtype.isIntegral()) {
    bounds_.set(var, boundOf(simple));
    modulars_.set(var, modularOf(simple));
    comparisons_.drop(var);
    if (isPure(value)) comparisons_.learn(Kind::tir_EQ, var, value);
  }
  bindings_[var.get()] = {var, value, intImm(1, value->dtype)};
  values_[var.get()] = simple;
  forget();
}

void Canon::setBound(const VarRef& var, ConstIntBound bound) {
  if (bounds_.set(var, bound)) forget();
}

void Canon::markNonNegative(const PrimExpr& value) {
  // value = variable * positive constant + constant.
  Linear sum(value->dtype);
  sum.addExpr(value, 1);
  if (sum.overflow || sum.terms.size() != 1) return;
  const Split& term = sum.terms.front();
  const auto var = refAs<Var>(term.index);
  const bool whole = term.lower == 1 && term.upper == Split::kNoUpper && term.scale > 0;
  if (!var || !whole || !isIndexType(var->dtype)) return;
  setBound(var, {-sum.constant, ConstIntBound::kPosInf});
}

Canon::Step Canon::stepBy(const PrimExpr& condition) {
  // One expression is walked several times: what was found under its conditions is found again.
  constexpr size_t kMost = 32;
  for (const Step& step : steps_)
    if (step.from == facts_ && sameExpr(step.condition, condition)) return step;
  if (steps_.size() == kMost) steps_.clear();
  lastFacts_ += 2;
  return steps_.emplace_back(Step{facts_, condition, lastFacts_ - 1, lastFacts_});
}

Canon::Scope::Mark Canon::enter(const PrimExpr& condition) {
  const Scope::Mark mark{bounds_.count(), modulars_.count(), rewriter_->count(), comparisons_.count(), facts_};
  if (isDeeper(condition, kMaxDepth)) return mark;
  const Step step = stepBy(condition);
  facts_ = step.entering;
  bounds_.enter(condition);
  modulars_.enter(condition);
  rewriter_->enter(condition);
  if (isPure(condition)) comparisons_.enter(condition);
  facts_ = step.entered;
  return mark;
}

void Canon::leave(const Scope::Mark& mark) {
  bounds_.leave(mark.bounds);
  modulars_.leave(mark.modulars);
  rewriter_->leave(mark.literals);
  comparisons_.leave(mark.comparisons);
  facts_ = mark.facts;
}

Canon::Scope::Scope(Canon& canon, const PrimExpr& condition, bool derived) : canon_(canon) {
  // A constant says nothing of anything else.
  if (isa<IntImm>(condition)) return;
  marks_.push_back(canon.enter(condition));
  if (!derived) return;
  for (const PrimExpr& fact : derivedFacts(condition)) marks_.push_back(canon.enter(fact));
}

Canon::Scope::~Scope() {
  for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) canon_.leave(*mark);
}

}  // namespace rx::arith
