// Binary nodes of a kind that is known at run time only.
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// `a op b` as it stands: nothing is converted, nothing folds. Both have one type.
tir::PrimExpr makeNode(Kind op, tir::PrimExpr a, tir::PrimExpr b);

}  // namespace rx::arith
