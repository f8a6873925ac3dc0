#include "core/lower/condition_bounds.h"

#include <algorithm>

#include "core/arith/conditions.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/inequalities.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

using namespace tir;
using arith::Domains;
using arith::IntSet;
using arith::VarRanges;

namespace {

/// Integers, variables and arithmetic on them only.
bool isSimple(const BinaryNode& comparison) {
  bool simple = true;
  for (const PrimExpr* side : {&comparison.a, &comparison.b}) {
    walk(**side, Into::Parts, [&](const Node& node) {
      switch (node.kind()) {
        case Kind::tir_Var:
        case Kind::tir_SizeVar:
          simple = simple && static_cast<const ExprNode&>(node).dtype.isIntegral();
          break;
        case Kind::tir_Add:
        case Kind::tir_Sub:
        case Kind::tir_Mul:
        case Kind::tir_FloorDiv:
        case Kind::tir_FloorMod:
        case Kind::tir_IntImm:
          break;
        default:
          simple = false;
      }
      return simple;
    });
  }
  return simple;
}

/// The comparisons that a conjunction holds and that can be solved; others are left out.
std::vector<PrimExpr> comparisonsOf(const PrimExpr& condition) {
  std::vector<PrimExpr> found;
  for (const PrimExpr& part : arith::conjuncts(condition, [](const PrimExpr& e) { return asCallOf(e, "likely"); })) {
    if (part->kind() < Kind::tir_EQ || part->kind() > Kind::tir_GE) continue;
    const auto* node = as<BinaryNode>(part);
    if (node->a->dtype.isIntegral() && isSimple(*node)) found.push_back(part);
  }
  return found;
}

std::optional<VarRanges> solved(const PrimExpr& condition, const BoundedScope& scope, std::vector<VarRef>& vars) {
  arith::Analyzer analyzer;
  const PrimExpr simple = analyzer.simplify(condition);
  if (isa<IntImm>(simple)) return std::nullopt;
  const std::vector<PrimExpr> comparisons = comparisonsOf(simple);
  for (const PrimExpr& comparison : comparisons) {
    for (const VarRef& var : arith::freeVars(comparison)) {
      if (std::find(vars.begin(), vars.end(), var) == vars.end()) vars.push_back(var);
    }
  }
  if (comparisons.empty() || vars.empty()) return std::nullopt;
  VarRanges ranges;
  for (const VarRef& var : vars) {
    const auto domain = scope.domains.find(var.get());
    const auto hint = scope.hints.find(var.get());
    const IntSet* set = domain != scope.domains.end() ? &domain->second
                        : hint != scope.hints.end()   ? &hint->second
                                                      : nullptr;
    if (set && set->bounded()) ranges[var.get()] = arith::cover(*set, nullptr);
  }
  return arith::solveInequalities(vars, ranges, comparisons);
}

}  // namespace

ConditionBounds::ConditionBounds(const PrimExpr& condition, BoundedScope& scope)
    : scope_(scope), pendingBefore_(scope.pending.size()) {
  std::vector<VarRef> vars;
  const auto ranges = solved(condition, scope, vars);
  if (!ranges) {
    scope.pending.push_back(condition);
    return;
  }
  for (const VarRef& var : vars) {
    const auto range = ranges->find(var.get());
    if (range == ranges->end()) continue;
    const IntSet narrow = IntSet::fromRange(*range->second);
    const bool hint = !scope.domains.contains(var.get());
    Domains& into = hint ? scope.hints : scope.domains;
    auto [entry, fresh] = into.try_emplace(var.get(), narrow);
    changed_.push_back({var.get(), hint, fresh, entry->second});
    if (!fresh) entry->second = arith::intersect(entry->second, narrow);
  }
}

ConditionBounds::~ConditionBounds() {
  scope_.pending.resize(pendingBefore_);
  for (const Changed& change : changed_) {
    Domains& from = change.hint ? scope_.hints : scope_.domains;
    if (change.fresh) {
      from.erase(change.var);
    } else {
      from[change.var] = change.before;
    }
  }
}

}  // namespace rx::lower
