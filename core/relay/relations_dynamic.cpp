// Relations of operators whose shape is an argument: what is known of the result is its rank.
#include <algorithm>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

constexpr const char* kUnknownRank = "the number of dimensions of the result has to be known, and be no more than 64";
static_assert(kMostNewDimensions == 64);

/// A result of as many dimensions as the argument that holds a shape has elements.
Outcome ofRank(Relating& r, size_t shapeArgument, DataType dtype) {
  const auto shape = r.tensor(shapeArgument);
  if (!shape) return r.stop();
  const auto rank = countOfDimensions(*shape);
  return rank ? r.result(Dims(*rank), dtype) : r.refuse(kUnknownRank);
}

/// A result of any size, of the data's rank.
Outcome ofSameRank(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(Dims(data->shape.size()), data->dtype) : r.stop();
}

}  // namespace

Outcome DynReshape(Relating& r) {
  const auto data = r.tensor(0);
  return data ? ofRank(r, 1, data->dtype) : r.stop();
}

Outcome DynBroadCastTo(Relating& r) {
  const auto data = r.tensor(0);
  return data ? ofRank(r, 1, data->dtype) : r.stop();
}

Outcome DynInitOp(Relating& r) { return ofRank(r, 0, r.dtypeAttr("dtype", DataType::Float(32))); }

Outcome DynFull(Relating& r) {
  const auto value = r.tensor(0);
  return value ? ofRank(r, 1, r.dtypeAttr("dtype", value->dtype)) : r.stop();
}

Outcome DynTile(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto reps = r.tensor(1);
  if (!reps) return r.stop();
  const auto count = countOfDimensions(*reps);
  return count ? r.result(Dims(std::max(data->shape.size(), *count)), data->dtype) : r.refuse(kUnknownRank);
}

Outcome DynOneHot(Relating& r) {
  const auto indices = r.tensor(0);
  return indices ? r.result(Dims(indices->shape.size() + 1), r.dtypeAttr("dtype", DataType::Float(32))) : r.stop();
}

/// Dimensions that begin says nothing of stay as they are.
Outcome DynStridedSlice(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto begin = r.tensor(1, 1);
  if (!begin || !r.tensor(2, 1) || !r.tensor(3, 1)) return r.stop();
  Dims shape(data->shape.size());
  for (size_t i = countOfDimensions(*begin).value_or(shape.size()); i < shape.size(); ++i) shape[i] = data->shape[i];
  return r.result(std::move(shape), data->dtype);
}

Outcome DynPad(Relating& r) { return ofSameRank(r); }

Outcome DynSqueeze(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axes = r.tensor(1);
  if (!axes) return r.stop();
  const auto count = countOfDimensions(*axes);
  if (!count || *count > data->shape.size()) return r.refuse(kUnknownRank);
  return r.result(Dims(data->shape.size() - *count), data->dtype);
}

Outcome DynSparseToDense(Relating& r) {
  const auto values = r.tensor(1);
  if (!values) return r.stop();
  // The shape stands behind indices, values and the default.
  return ofRank(r, 3, values->dtype);
}

}  // namespace rx::relay::relation
