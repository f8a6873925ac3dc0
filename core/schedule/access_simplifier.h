// Indices and regions of a block in their shortest form.
#pragma once

#include "core/ir/relax.h"

namespace rx::schedule {

/// The statement with indices of buffers in the shortest form that the loops and axes around them allow. A variable
/// that can only be one number keeps its name. Sizes of the function's buffers count as not negative.
tir::Stmt withSimpleAccesses(const tir::PrimFunc& function, const tir::Stmt& statement);

/// The shorter forms of the indices, without those that are numbers in the place of a variable.
Array<tir::PrimExpr> keepingVars(std::span<const tir::PrimExpr> indices, std::vector<tir::PrimExpr> shorter);

}  // namespace rx::schedule
