// Where the elements of a tensor come from that an index map moved.
#pragma once

#include <optional>
#include <span>

#include "core/arith/analyzer.h"
#include "core/ir/prim_expr.h"

namespace rx::analysis {

struct InverseMap {
  Ref<tir::IndexMap> map;
  bool padded = false;  ///< the map leaves places that no element goes to
};
/// The inverse of a map of tensors of this shape; nothing where several elements go to one place or it is not found.
std::optional<InverseMap> inverseOf(const tir::IndexMap& map, std::span<const tir::PrimExpr> shape,
                                    arith::Analyzer& analyzer);

}  // namespace rx::analysis
