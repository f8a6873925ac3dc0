// What symbolic variables are where a value stands in the place of a variable: R.Tensor((n, 4)) that is bound to
// R.Tensor((16, 4)) says that n is 16.
#pragma once

#include "core/arith/equal.h"
#include "core/ir/relax.h"

namespace rx::transform {

/// Symbols that are a dimension of `declared` by themselves, with the dimension of `actual` that stands there, in
/// order. Where one stands several times the last counts.
std::vector<std::pair<tir::VarRef, tir::PrimExpr>> symbolValues(const relax::StructInfo& declared,
                                                                const relax::StructInfo& actual);

}  // namespace rx::transform
