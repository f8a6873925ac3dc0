// What the views ask about the elements of an array, answered from its file: as the engine answers about its values,
// with the same bounds.
#pragma once

#include "core/support/result.h"
#include "core/tensor/elements.h"
#include "core/tensor/host_tensor.h"
#include "views/models/debug_rows.h"

namespace rx::views {

/// A tensor by itself, or its distances to another one.
struct ArrayPair {
  Ref<HostTensor> left;
  Ref<HostTensor> right;  // null where nothing is compared
  Distance distance = Distance::Absolute;
};

TensorSlice sliceOf(const ArrayPair& arrays, const std::vector<qint64>& begin, const std::vector<qint64>& extent);
TensorSurvey surveyOf(const ArrayPair& arrays);
TensorPlane planeOf(const ArrayPair& arrays, const PlaneQuery& query);
ElementFound findIn(const ArrayPair& arrays, const ElementQuery& query);
TensorComparison comparisonOf(const ArrayPair& arrays);

}  // namespace rx::views
