// Two recordings of one module that was compiled in two ways: the first binding of the module that they do not agree
// on.
#pragma once

#include "core/debug/recording.h"
#include "core/support/cancel.h"

namespace rx::debug {

/// A binding whose two values differ.
struct BindingDifference {
  std::string function, binding;
  std::string callee;            ///< what the instruction calls that gave the left value
  std::string what;              ///< "element (0, 3): [1.5] and [1.25]"
  uint32_t left = 0, right = 0;  ///< the states from which on the values are there
};

struct RunComparison {
  size_t agree = 0;  ///< values that agree, before the first that does not
  /// Bindings before it that have a value in one of the runs alone, as far as one computes something.
  std::vector<std::string> absent;
  std::optional<BindingDifference> first;
};

/// Compares the values of bindings of the imported module in the order in which `left` gave them: the n-th value of a
/// binding in one run with the n-th in the other, within the rounding of their type (core/tensor/stats.h). Fails as
/// reading a recording does, with vm.cancelled where that was asked for.
Result<RunComparison> firstDifference(const Recording& left, const Recording& right, const CancelToken& cancel = {});

}  // namespace rx::debug
