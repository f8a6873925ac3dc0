// What the passes share that move factors into weights. Private to core/relay.
#pragma once

#include "core/relay/emit.h"

namespace rx::relay {

/// Axes along which an expression may be scaled, in order, and whether only by positive numbers.
struct ScaledAxes {
  std::vector<size_t> axes;
  bool positive = false;
};
using ScaleRequest = std::optional<ScaledAxes>;

/// Whether `small` is spread over these axes of `large` alone. `value` (of the same type) becomes a vector over them.
bool spreadsOver(const TensorType* large, const TensorType* small, const std::vector<size_t>& axes,
                 Expr* value = nullptr);
/// Whether all elements are known and none is negative.
bool isNeverNegative(Expr expr);
/// A vector over some axes in the shape of a tensor with these dimensions; null where one of them is not known.
Expr alongAxes(const Expr& scale, const Array<Dim>& shape, const std::vector<size_t>& axes);

/// Where the channels of a convolution stand, as far as scales go.
struct ScaledConv {
  std::vector<size_t> data, result;         ///< axes of the channels
  std::vector<size_t> inKernel, outKernel;  ///< axes of the weight that belong to them
  bool depthwise;
};
/// Nothing where channels are grouped, or split in some places only.
std::optional<ScaledConv> scaledConv(const Call& call);

}  // namespace rx::relay
