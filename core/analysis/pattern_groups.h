// Groups of bindings that a dataflow pattern matches.
#pragma once

#include <functional>

#include "core/analysis/fusion_groups.h"
#include "core/analysis/pattern_matcher.h"

namespace rx::analysis {

/// One pattern to look for, and what the function that a match becomes is called.
struct PatternToGroup {
  Str name;  ///< of its attribute Composite
  const DataflowPattern& pattern;
  /// Further conditions on a match; may be empty.
  std::function<bool(const PatternMatcher&)> check = {};
};

/// Adds the variables of the function to the groups, and joins those whose values are one match: the value that the
/// whole pattern stands for, with the calls and the fields of tuples in it. A match that overlaps an earlier one
/// without holding all of it is left out.
void addPatternGroups(const relax::Function& function, const PatternToGroup& wanted, FusionGroups& groups);

}  // namespace rx::analysis
