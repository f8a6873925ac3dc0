// Matches dataflow patterns against expressions, as TVM does: through bindings, arguments of sums and products in both
// orders.
#pragma once

#include <unordered_map>

#include "core/analysis/pattern.h"
#include "core/ir/relax.h"

namespace rx::analysis {

/// What variables are bound to.
using BoundValues = std::unordered_map<const relax::Var*, relax::Expr>;

class PatternMatcher {
 public:
  /// Both are kept by reference.
  PatternMatcher(const DataflowPattern& pattern, const BoundValues& values)
      : pattern_(pattern), values_(values), matched_(pattern.nodes.size()) {}

  /// Forgets what was matched before, then matches.
  bool match(PatternId pattern, const relax::Expr& expr);
  /// What stands for a part of the pattern after a match; null where the match did without it.
  const relax::Expr& matched(PatternId part) const { return matched_[part]; }
  /// The parts that something stands for.
  const std::vector<PatternId>& parts() const { return order_; }
  /// The value behind variables that are bound.
  relax::Expr unwrapped(relax::Expr expr) const;

 private:
  bool visit(PatternId id, const relax::Expr& expr);
  bool visitNode(const PatternNode& node, const relax::Expr& expr);
  bool matchCall(const PatternNode& node, const relax::Expr& expr);
  bool matchFields(const PatternNode& node, const relax::Expr& expr);
  bool matchUnordered(const PatternNode& node, const Array<relax::Expr>& fields, size_t part, std::vector<bool>& taken);
  bool matchArguments(const PatternNode& node, const Array<relax::Expr>& args, bool reversed);
  void forgetFrom(size_t mark);

  const DataflowPattern& pattern_;
  const BoundValues& values_;
  std::vector<relax::Expr> matched_;  ///< by pattern
  std::vector<PatternId> order_;
};

}  // namespace rx::analysis
