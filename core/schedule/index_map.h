// Index maps as primitives apply them.
#pragma once

#include <optional>
#include <vector>

#include "core/arith/canon.h"
#include "core/ir/prim_expr.h"

namespace rx::schedule {

/// The map with indices of the types that these have, and its numbers alike.
Ref<tir::IndexMap> overTypes(const tir::IndexMap& map, std::span<const tir::PrimExpr> like);
/// The places to which the map brings these indices, simplified.
std::vector<tir::PrimExpr> mapIndices(const tir::IndexMap& map, std::span<const tir::PrimExpr> indices,
                                      arith::Canon& canon);
/// The sizes of what the map makes of an array of this shape; nothing where they have no bound.
std::optional<std::vector<tir::PrimExpr>> mapShape(const tir::IndexMap& map, std::span<const tir::PrimExpr> shape,
                                                   arith::Canon& canon);

}  // namespace rx::schedule
