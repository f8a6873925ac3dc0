// Reductions that are known to be commutative, and how a block's updates are read as one of them.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/stmt.h"

namespace rx::lower {

/// What a block reduces: one store for each result.
struct BlockReduction {
  Ref<tir::CommReducer> reducer;
  std::vector<Ref<tir::BufferStore>> updates;
  std::vector<tir::PrimExpr> operands;  ///< what is combined with each result
};

/// The reduction of a block with an init: stores of the init's buffers, or as many bindings followed by stores of what
/// they bind; all at one place. Nothing where the block has another form or no known reducer fits.
std::optional<BlockReduction> reductionOf(const tir::Block& block);

/// What the reducer makes of values on its left and on its right.
std::vector<tir::PrimExpr> combined(const tir::CommReducer& reducer, const std::vector<tir::PrimExpr>& left,
                                    const std::vector<tir::PrimExpr>& right);

}  // namespace rx::lower
