// Tensors in other element types, as passes that change the precision of values need them.
#pragma once

#include <functional>

#include "core/analysis/mixed_precision.h"

namespace rx::transform {

/// The tensors of an expression in other types, by relax.astype; a tuple field by field. Those stay whose type `among`
/// does not hold for, and those whose type is not said.
relax::Expr inTypes(const relax::Expr& expr, const analysis::NestedType& types,
                    const std::function<bool(DataType)>& among);

}  // namespace rx::transform
