// Two recordings of one module: by how much the values of its bindings differ.
#pragma once

#include "core/debug/given_values.h"
#include "core/tensor/tensor_error.h"

namespace rx::debug {

/// How one value differs from another.
struct ValueError {
  TensorError error;  ///< the largest of its tensors, counts of all
  std::string apart;  ///< in words, where they are not of one form: "(2, 3) of float32 and (3, 2) of float32"
  bool within() const { return apart.empty() && error.within(); }
  bool identical() const { return apart.empty() && error.identical; }
};
/// `limit` as tensorError takes it. Fails where a value can not be looked at.
Result<ValueError> valueError(const Value& got, const Value& wanted, std::optional<double> limit);

/// A binding with a value in both.
struct BindingError {
  std::string function, binding;
  StagePlace place;     ///< of the imported module; not known of the result of the run
  ValueError error;     ///< of the first value that is off, else of that which differs most
  GivenAt got, wanted;  ///< where these values are
};
/// What the result of a run is called among its bindings.
constexpr std::string_view kResultName = "result";

/// The bindings of the imported module that both runs give a value, in the order in which `got` gave it, the n-th value
/// compared with the n-th, and the result of the runs where both have one. Fails as reading does, with vm.cancelled
/// where that was asked for.
Result<std::vector<BindingError>> bindingErrors(const Recording& got, const Recording& wanted,
                                                std::optional<double> limit, const CancelToken& cancel = {});

}  // namespace rx::debug
