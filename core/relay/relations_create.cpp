// Relations of operators that make tensors, of their element types, or spread them.
#include <cmath>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

Outcome Cast(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data->shape.vector(), r.dtypeAttr("dtype", data->dtype)) : r.stop();
}

Outcome CastLike(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto like = r.tensor(1);
  return like ? r.result(data->shape.vector(), like->dtype) : r.stop();
}

Outcome ShapeOf(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto rank = static_cast<int64_t>(data->shape.size());
  return r.result(rank == 0 ? Dims{} : Dims{dim(rank)}, r.dtypeAttr("dtype", DataType::Int(32)));
}

Outcome NdarraySize(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(Dims{}, r.dtypeAttr("dtype", DataType::Int(32))) : r.stop();
}

Outcome InitOp(Relating& r) { return r.result(r.dimsAttr("shape"), r.dtypeAttr("dtype", DataType::Float(32))); }

Outcome Full(Relating& r) {
  const auto value = r.tensor(0);
  if (!value) return r.stop();
  if (!value->shape.empty()) return r.refuse("the value has to be a scalar");
  return r.result(r.dimsAttr("shape"), r.dtypeAttr("dtype", value->dtype));
}

Outcome FullLike(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data) : r.stop();
}

Outcome BroadCastTo(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  Dims shape = r.dimsAttr("shape");
  if (!broadcastDims(r, data->shape, Array<Dim>(shape))) return Outcome::Refused;
  return r.result(std::move(shape), r.dtypeAttr("dtype", data->dtype));
}

Outcome BroadCastToLike(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto like = r.tensor(1);
  if (!like) return r.stop();
  return broadcastDims(r, data->shape, like->shape) ? r.result(like) : Outcome::Refused;
}

Outcome CollapseSumLike(Relating& r) { return BroadCastToLike(r); }

Outcome CollapseSumTo(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  Dims shape = r.dimsAttr("shape");
  if (r.isNone("shape") || shape.empty()) {
    const auto wanted = r.tensor(1);
    if (!wanted) return r.stop();
    if (const Ref<HostTensor> value = r.constant(1)) {
      shape.clear();
      for (int64_t i = 0; i < value->count(); ++i) shape.push_back(dim(value->intAt(i)));
    } else {
      shape.assign(wanted->shape.empty() ? 0 : countOfDimensions(*wanted).value_or(0), nullptr);
    }
  }
  return r.result(std::move(shape), data->dtype);
}

Outcome Arange(Relating& r) {
  const DataType dtype = r.dtypeAttr("dtype", DataType::Int(32));
  auto bound = [&](size_t i) -> std::optional<double> {
    const Ref<HostTensor> value = r.constant(i);
    return value && value->count() == 1 ? std::optional<double>(value->at(0)) : std::nullopt;
  };
  for (size_t i = 0; i < 3; ++i) {
    if (!r.assign(i, scalarType(dtype))) return Outcome::Refused;
  }
  const auto start = bound(0), stop = bound(1), step = bound(2);
  if (!start || !stop || !step) return r.result(Dims{nullptr}, dtype);
  if (*step == 0) return r.refuse("the step is zero");
  return r.result(Dims{dimOf(std::ceil((*stop - *start) / *step))}, dtype);
}

Outcome Meshgrid(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  Dims shape;
  for (const auto& part : *parts) shape.push_back(part->shape.empty() ? dim(1) : part->shape[0]);
  if (r.text("indexing") == "xy" && shape.size() > 1) std::swap(shape[0], shape[1]);
  std::vector<Type> items;
  for (const auto& part : *parts) items.push_back(tensorType(shape, part->dtype));
  return r.resultTuple(std::move(items));
}

/// What frees a value gives nothing.
Outcome Kill(Relating& r) { return r.resultTuple({}); }

Outcome ThreefryGenerate(Relating& r) {
  const Type key = tensorType(Dims{dim(10)}, DataType::UInt(64));
  if (!r.assign(0, key)) return Outcome::Refused;
  return r.resultTuple({key, tensorType(r.dimsAttr("out_shape"), DataType::UInt(64))});
}

Outcome ThreefrySplit(Relating& r) {
  const Type key = tensorType(Dims{dim(10)}, DataType::UInt(64));
  return r.assign(0, key) ? r.resultTuple({key, key}) : Outcome::Refused;
}

Outcome Uniform(Relating& r) {
  const Type key = tensorType(Dims{dim(10)}, DataType::UInt(64));
  const DataType dtype = r.dtypeAttr("out_dtype", DataType::Float(32));
  if (dtype != DataType::Float(32) && dtype != DataType::Float(64))
    return r.refuse("random numbers are float32 or float64, not " + std::string(dtype.str()));
  if (!r.assign(0, key) || !r.assign(1, scalarType(dtype)) || !r.assign(2, scalarType(dtype))) return Outcome::Refused;
  return r.resultTuple({key, tensorType(r.dimsAttr("out_shape"), dtype)});
}

Outcome Normal(Relating& r) { return Uniform(r); }

Outcome Multinomial(Relating& r) {
  const auto probabilities = r.tensor(1);
  if (!probabilities) return r.stop();
  const Type key = tensorType(Dims{dim(10)}, DataType::UInt(64));
  if (!r.assign(0, key)) return Outcome::Refused;
  Dims shape = probabilities->shape.vector();
  if (shape.empty()) return r.refuse("the probabilities have to be a vector at least");
  shape.back() = dim(r.intAttr("num_samples", 1));
  return r.resultTuple({key, tensorType(shape, DataType::Int(32))});
}

}  // namespace rx::relay::relation
