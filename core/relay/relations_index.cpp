// Relations of operators that take, put or choose elements by index.
#include <algorithm>
#include <limits>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

struct Range {
  int64_t begin, end, stride;
};

/// How many elements a slice of a dimension has; any where the dimension is not known.
Dim sliced(const Dim& extent, Range range) {
  if (!known(extent)) {
    const bool whole = range.begin == 0 && range.end == std::numeric_limits<int64_t>::max() && range.stride == 1;
    return whole ? extent : nullptr;
  }
  const int64_t size = *known(extent);
  const bool forwards = range.stride > 0;
  auto inside = [&](int64_t at) {
    if (at < 0) at += size;
    return std::clamp(at, forwards ? int64_t{0} : int64_t{-1}, forwards ? size : size - 1);
  };
  const int64_t begin = inside(range.begin), end = inside(range.end);
  const int64_t way = forwards ? end - begin : begin - end;
  const int64_t step = forwards ? range.stride : -std::max(range.stride, -std::numeric_limits<int64_t>::max());
  return dim(way <= 0 ? 0 : (way - 1) / step + 1);
}

}  // namespace

Outcome StridedSlice(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const std::vector<int64_t> begin = r.intsAttr("begin"), end = r.intsAttr("end"), strides = r.intsAttr("strides");
  const bool bySize = r.text("slice_mode") == "size";
  const size_t rank = data->shape.size();
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> axes = r.intsAttr("axes");
  if (r.isNone("axes")) {
    for (size_t i = 0; i < std::max(begin.size(), end.size()); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  Dims shape = data->shape.vector();
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = r.axis(axes[i], rank);
    if (!axis) return Outcome::Refused;
    // One stride alone is that of every dimension.
    int64_t stride = bySize || strides.empty() ? 1
                     : strides.size() == 1     ? strides[0]
                     : i < strides.size()      ? strides[i]
                                               : 1;
    if (stride == 0) return r.refuse("a stride is zero");
    const int64_t from = i < begin.size() ? begin[i] : stride > 0 ? 0 : kAll;
    int64_t to = i < end.size() ? end[i] : stride > 0 ? kAll : 0;
    if (bySize && (to < 0 || __builtin_add_overflow(from, to, &to))) to = kAll;
    shape[*axis] = sliced(shape[*axis], {from, to, stride});
  }
  return r.result(std::move(shape), data->dtype);
}

Outcome StridedSet(Relating& r) {
  const auto data = r.tensor(0);
  if (!data || !r.tensor(1)) return r.stop();
  for (size_t bounds = 2; bounds < 5; ++bounds)
    if (!r.tensor(bounds, 1)) return r.stop();
  return r.result(data);
}

Outcome InvertPermutation(Relating& r) {
  const auto data = r.tensor(0, 1);
  return data ? r.result(data) : r.stop();
}

Outcome Take(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto indices = r.tensor(1);
  if (!indices) return r.stop();
  if (!indices->dtype.isIntegral()) return r.refuse("the indices have to be integers");
  if (r.isNone("axis")) return r.result(indices->shape.vector(), data->dtype);
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis) return Outcome::Refused;
  auto batch = r.intAttr("batch_dims");
  if (batch < 0) batch += static_cast<int64_t>(indices->shape.size());
  if (batch < 0 || batch > static_cast<int64_t>(std::min(*axis, indices->shape.size()))) {
    return r.refuse("batch_dims is not below axis");
  }
  Dims shape(data->shape.begin(), data->shape.begin() + static_cast<ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->shape.begin() + batch, indices->shape.end());
  shape.insert(shape.end(), data->shape.begin() + static_cast<ptrdiff_t>(*axis) + 1, data->shape.end());
  return r.result(std::move(shape), data->dtype);
}

Outcome Gather(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto indices = r.tensor(1);
  if (!indices) return r.stop();
  if (data->shape.size() != indices->shape.size()) return r.refuse("data and indices differ in their dimensions");
  return r.axis(r.intAttr("axis"), data->shape.size()) ? r.result(indices->shape.vector(), data->dtype)
                                                       : Outcome::Refused;
}

Outcome GatherND(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto indices = r.tensor(1);
  if (!indices) return r.stop();
  const int64_t batch = r.intAttr("batch_dims");
  const auto depth = indices->shape.empty() ? std::nullopt : known(indices->shape[0]);
  if (!depth) return r.refuse("the first dimension of the indices has to be known");
  if (batch < 0 || *depth < 0) return r.refuse("batch_dims and the number of indices are not negative");
  if (batch + *depth > static_cast<int64_t>(data->shape.size()))
    return r.refuse("there are more indices than dimensions");
  Dims shape(indices->shape.begin() + 1, indices->shape.end());
  shape.insert(shape.end(), data->shape.begin() + batch + *depth, data->shape.end());
  return r.result(std::move(shape), data->dtype);
}

Outcome ScatterElements(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data) : r.stop();
}

Outcome ScatterND(Relating& r) { return ScatterElements(r); }

Outcome Where(Relating& r) {
  const auto cond = r.tensor(0);
  if (!cond) return r.stop();
  const auto x = r.tensor(1);
  if (!x) return r.stop();
  const auto y = r.tensor(2);
  if (!y) return r.stop();
  if (x->dtype != y->dtype) return r.refuse("the two choices have different element types");
  const auto choice = broadcastDims(r, x->shape, y->shape);
  if (!choice) return Outcome::Refused;
  auto shape = broadcastDims(r, cond->shape, Array<Dim>(*choice));
  return shape ? r.result(std::move(*shape), x->dtype) : Outcome::Refused;
}

Outcome OneHot(Relating& r) {
  const auto indices = r.tensor(0);
  if (!indices) return r.stop();
  const size_t rank = indices->shape.size();
  const auto axis = r.axis(r.intAttr("axis", -1), rank + 1);
  if (!axis) return Outcome::Refused;
  Dims shape = indices->shape.vector();
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), dim(r.intAttr("depth", 1)));
  return r.result(std::move(shape), r.dtypeAttr("dtype", DataType::Float(32)));
}

Outcome SparseToDense(Relating& r) {
  const auto values = r.tensor(1);
  if (!values) return r.stop();
  return r.result(r.dimsAttr("output_shape"), values->dtype);
}

Outcome SparseFillEmptyRows(Relating& r) {
  const auto indices = r.tensor(0);
  if (!indices) return r.stop();
  const auto values = r.tensor(1, 1);
  if (!values || !r.tensor(2, 1) || !r.tensor(3, 1)) return r.stop();
  if (indices->shape.size() != 2) return r.refuse("the indices have to have two dimensions");
  const Dims rows{nullptr, indices->shape[1]};
  return r.resultTuple({tensorType(rows, indices->dtype), tensorType(Dims{nullptr}, values->dtype),
                        tensorType(Dims{nullptr}, DataType::Bool())});
}

Outcome UnRavelIndex(Relating& r) {
  const auto indices = r.tensor(0);
  if (!indices) return r.stop();
  const auto shape = r.tensor(1, 1);
  if (!shape) return r.stop();
  if (indices->shape.size() > 1) return r.refuse("the indices have to be a number or a vector");
  Dims out{shape->shape[0]};
  if (!indices->shape.empty()) out.push_back(indices->shape[0]);
  return r.result(std::move(out), indices->dtype);
}

Outcome AdvIndex(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  if (parts->size() < 2) return r.refuse("there are no indices");
  Dims shape = (*parts)[1]->shape.vector();
  for (size_t i = 2; i < parts->size(); ++i) {
    auto wider = broadcastDims(r, Array<Dim>(shape), (*parts)[i]->shape);
    if (!wider) return Outcome::Refused;
    shape = std::move(*wider);
  }
  const TensorType& data = *parts->front();
  if (parts->size() - 1 > data.shape.size()) return r.refuse("there are more indices than dimensions");
  shape.insert(shape.end(), data.shape.begin() + static_cast<ptrdiff_t>(parts->size()) - 1, data.shape.end());
  return r.result(std::move(shape), data.dtype);
}

Outcome ArgWhere(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result({nullptr, dim(static_cast<int64_t>(data->shape.size()))}, DataType::Int(32)) : r.stop();
}

}  // namespace rx::relay::relation
