// The shape that an index map gives.
#pragma once

#include "core/op/rules.h"

namespace rx::op {

/// Extents of the final indices when the initial ones run over `dims`; nothing where bounds are not found.
std::optional<Dims> mapShape(const tir::IndexMap& map, std::span<const PrimExpr> dims, InferContext& context);

Inferred inferLayoutTransform(const Call& call, InferContext& context);

}  // namespace rx::op
