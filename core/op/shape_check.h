// Comparison of dimensions: equal for sure, different for sure, or not known.
#pragma once

#include "core/arith/equal.h"
#include "core/op/infer.h"

namespace rx::op {

enum class Match : uint8_t { Equal, Different, Unknown };

/// Of two values. Without an allocation where both are constants or the same object.
Match matchValues(const tir::PrimExpr& a, const tir::PrimExpr& b, InferContext& context);
/// Of two shapes: Different when the ranks or one pair of dimensions differ.
Match matchShapes(std::span<const tir::PrimExpr> a, std::span<const tir::PrimExpr> b, InferContext& context);
inline bool equalValues(const tir::PrimExpr& a, const tir::PrimExpr& b, InferContext& context) {
  return matchValues(a, b, context) == Match::Equal;
}
inline bool equalShapes(std::span<const tir::PrimExpr> a, std::span<const tir::PrimExpr> b, InferContext& context) {
  return matchShapes(a, b, context) == Match::Equal;
}
/// The same target, index and scope, and the same object counts at once; null equals null only.
bool sameDevice(const Ref<ir::VDevice>& a, const Ref<ir::VDevice>& b);

}  // namespace rx::op
