// What LoopPartition knows of conditions: which loops are worth it, and where in a loop's range a condition is decided.
#pragma once

#include <unordered_set>
#include <vector>

#include "core/arith/intervals.h"
#include "core/ir/stmt.h"

namespace rx::lower {

/// Loops and launches that may be partitioned.
struct PartitionCandidates {
  std::unordered_set<tir::Stmt> statements;  ///< For, or AttrStmt of a thread's extent
  std::unordered_set<const Node*> hinted;    ///< variables that an attribute wants partitioned
};
/// Adds those of the statement: loops whose variable stands in a likely condition, with bounds that are no constants
/// unless `constants`.
void findCandidates(const tir::Stmt& statement, bool constants, PartitionCandidates& candidates);

/// The condition is `value` in the whole interval.
struct DecidedCondition {
  tir::PrimExpr condition;
  bool value;
  arith::IntSet interval;
};
/// Where the conditions of the body on the variable are decided: those that are likely, or all comparisons. The last
/// condition comes first, as TVM takes them.
std::vector<DecidedCondition> findPartitions(const tir::VarRef& var, const tir::Stmt& body, arith::Domains hints,
                                             arith::Domains relaxed, bool allComparisons);

}  // namespace rx::lower
