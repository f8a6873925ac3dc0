// Two recordings of one module that was compiled in two ways: the first binding of the module that they do not agree
// on.
#pragma once

#include <functional>

#include "core/debug/recording.h"
#include "core/support/cancel.h"

namespace rx::debug {

/// Where a difference comes from.
enum class Cause : uint8_t {
  Own,        ///< what gives the value: from the same inputs the other run makes another one
  Inherited,  ///< the inputs, which differ within their rounding: from the same ones the other run makes the same
  Unknown,    ///< the other run computes it in another way, and values before it are not the same in every bit
};

/// A binding whose two values differ.
struct BindingDifference {
  std::string function, binding;
  std::string callee;            ///< what the instruction calls that gave the left value
  std::string what;              ///< "element (0, 3): [1.5] and [1.25]"
  uint32_t left = 0, right = 0;  ///< the states from which on the values are there
  Cause cause = Cause::Unknown;
};

struct RunComparison {
  size_t agree = 0;  ///< values that agree, before the first that does not
  /// By how much these differ at the most, as TensorError::maxScaled; 0 where all have the same bits.
  double most = 0;
  /// Bindings before it that have a value in one of the runs alone, as far as one computes something.
  std::vector<std::string> absent;
  std::vector<BindingDifference> inherited;  ///< before it
  std::optional<BindingDifference> first;    ///< that is not inherited
};

/// A value that was made from the inputs of the other run.
struct Made {
  Ref<HostTensor> tensor;  ///< null: there is no kernel of that name that takes them
  bool ofHalves = false;   ///< one of the inputs has 16 bits or fewer, as what is between them and the result may have
};
/// What the right program makes of the inputs that a step of the left one, which calls a kernel, had for what the step
/// left in a register.
using MadeAgain = std::function<Result<Made>(uint32_t step, uint32_t reg)>;

/// Compares the values of bindings of the imported module in the order in which `left` gave them: the n-th value of a
/// binding in one run with the n-th in the other, within the rounding of their type (core/tensor/stats.h). Two that are
/// further apart, of steps that call a kernel of one name, may have that from their inputs, whose rounding a sum of
/// opposite numbers makes large: then `again` tells. It may be empty. Fails as reading a recording does, with
/// vm.cancelled where that was asked for.
Result<RunComparison> firstDifference(const Recording& left, const Recording& right, const MadeAgain& again = {},
                                      const CancelToken& cancel = {});

}  // namespace rx::debug
