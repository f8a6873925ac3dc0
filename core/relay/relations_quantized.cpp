// Relations of quantized operators: those of the plain ones, and what scales and zero points have to be.
#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

bool isScalar(const TensorType& type) { return type.shape.empty() || known(product(type.shape)) == 1; }

/// A scale or zero point: a scalar, or one for each element of an axis.
bool assignParameter(Relating& r, size_t i, DataType dtype, const Dim& extent) {
  if (!r.isKnown(i)) return r.assign(i, tensorType(Dims{extent}, dtype));
  const auto given = r.tensor(i);
  if (!given) return false;
  if (!isScalar(*given)) return r.assign(i, tensorType(Dims{extent}, dtype));
  if (given->dtype == dtype) return true;
  r.refuse("argument " + std::to_string(i) + " has to be of " + dtype.str() + " and is of " + given->dtype.str());
  return false;
}

bool allKnown(Relating& r, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (!r.isKnown(i)) return false;
  }
  return true;
}

/// The extent of the axis that scales follow; 1 of a scalar.
std::optional<Dim> axisExtent(Relating& r, const TensorType& data) {
  if (data.shape.empty()) return dim(1);
  const auto axis = r.axis(r.intAttr("axis", -1), data.shape.size());
  return axis ? std::optional<Dim>(data.shape[*axis]) : std::nullopt;
}

Outcome changedType(Relating& r, size_t scale, size_t zeroPoint, DataType fallback, bool wait) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  if (wait && !allKnown(r, 1, r.inputs())) return Outcome::Wait;
  const auto extent = axisExtent(r, *data);
  if (!extent || !assignParameter(r, scale, DataType::Float(32), *extent) ||
      !assignParameter(r, zeroPoint, DataType::Int(32), *extent)) {
    return Outcome::Refused;
  }
  return r.result(data->shape.vector(), r.dtypeAttr("out_dtype", fallback));
}

/// Channels that a kernel's scales are for.
Dim scaledChannels(Relating& r, const TensorType& weight) {
  const auto layout = Layout::parse(r.text("kernel_layout"));
  if (!layout || !layout->has('O') || layout->rank() != weight.shape.size()) return nullptr;
  const Dim outputs = weight.shape[*layout->find('O')];
  if (r.intAttr("groups", 1) == 1) return outputs;
  return r.isNone("channels") ? mul(outputs, weight.shape[*layout->find('I')]) : r.dimAttr("channels");
}

/// Data and kernel, then zero points of both, then scales of both.
Outcome quantizedConvolution(Relating& r, bool transposed) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto weight = r.tensor(1);
  if (!weight) return r.stop();
  if (!allKnown(r, 2, 5)) return Outcome::Wait;
  if (!assignParameter(r, 2, DataType::Int(32), dim(1)) || !assignParameter(r, 4, DataType::Float(32), dim(1)) ||
      !assignParameter(r, 5, DataType::Float(32), scaledChannels(r, *weight))) {
    return Outcome::Refused;
  }
  return transposed ? transposedConvolution(r, 2) : convolution(r, 2);
}

}  // namespace

Outcome Quantize(Relating& r) { return changedType(r, 1, 2, DataType::Int(8), true); }
Outcome Dequantize(Relating& r) { return changedType(r, 1, 2, DataType::Float(32), true); }
Outcome SimulatedQuantize(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data) : r.stop();
}
Outcome SimulatedDequantize(Relating& r) { return SimulatedQuantize(r); }

Outcome Requantize(Relating& r) {
  if (!allKnown(r, 3, 5)) return Outcome::Wait;
  return changedType(r, 1, 2, DataType::Int(8), false);
}

Outcome QnnConv2D(Relating& r) { return quantizedConvolution(r, false); }
Outcome QnnConv2DTranspose(Relating& r) { return quantizedConvolution(r, true); }

Outcome QnnDense(Relating& r) {
  const auto weight = r.tensor(1);
  if (!weight) return r.stop();
  if (!allKnown(r, 2, 5)) return Outcome::Wait;
  const Dim units = r.isNone("units") ? weight->shape[0] : r.dimAttr("units");
  return assignParameter(r, 5, DataType::Float(32), units) ? matmul(r) : Outcome::Refused;
}

Outcome QnnBatchMatmul(Relating& r) { return allKnown(r, 2, 6) ? batchMatmul(r) : Outcome::Wait; }

Outcome QnnConcatenate(Relating& r) {
  for (size_t i = 1; i < 3; ++i) {
    if (!r.tensors(i)) return r.stop();
  }
  return allKnown(r, 3, 5) ? concatenate(r) : Outcome::Wait;
}

Outcome QnnBroadcast(Relating& r) { return allKnown(r, 0, 8) ? Broadcast(r) : Outcome::Wait; }
Outcome QnnElementwiseUnary(Relating& r) { return allKnown(r, 1, 5) ? Identity(r) : Outcome::Wait; }
Outcome QnnSoftmax(Relating& r) { return allKnown(r, 1, 5) ? Identity(r) : Outcome::Wait; }
Outcome QnnLeakyRelu(Relating& r) { return allKnown(r, 1, 5) ? Identity(r) : Outcome::Wait; }
Outcome QnnAvgPool2D(Relating& r) { return allKnown(r, 1, 5) ? pool(r, 2) : Outcome::Wait; }

}  // namespace rx::relay::relation
