// How what an expression reads lies along an axis: whether lanes along it read neighbours.
#pragma once

#include <functional>
#include <optional>

#include "core/ir/prim_expr.h"

namespace rx::schedule {

struct ReadsAlong {
  bool inOrder = true;  ///< each element read lies in the order of the axis, or is the same all along it
  bool any = false;     ///< some elements lie in the order of the axis
  /// How far apart the elements of neighbouring lanes lie at most, in the order of the axis; nothing where some lie in
  /// no order.
  std::optional<int64_t> apart = 0;
  bool counted = false;  ///< the axis is used beside indices too, as a number
};
/// Of all that the expression reads, but what `others` says is no concern. What is read under a condition of single
/// lanes lies in no order.
ReadsAlong readsAlong(const tir::PrimExpr& expr, const tir::Var& axis,
                      const std::function<bool(const tir::BufferLoad&)>& others = {});

}  // namespace rx::schedule
