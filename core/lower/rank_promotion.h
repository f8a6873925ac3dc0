// Index expressions over loops as dimensions that are walked one by one.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ir/stmt.h"

namespace rx::lower {

/// Constant extents of loop variables that start at 0.
using LoopExtents = std::unordered_map<const tir::Var*, int64_t>;

/// For each index, how many values it takes while these loops run, and their number in order. Other variables do not
/// count.
struct CompactPlaces {
  std::vector<tir::PrimExpr> shape, places;
};
/// Nothing where an index is not made of loops by products, quotients and remainders that divide one another.
std::optional<CompactPlaces> compactPlaces(std::span<const tir::PrimExpr> indices, const LoopExtents& loops);

}  // namespace rx::lower
