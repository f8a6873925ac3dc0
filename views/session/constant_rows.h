// The constants that a binding reads, as rows.
#pragma once

#include "core/ir/relax.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// In text order; of a binding with very many the first ones.
std::vector<ConstantRow> constantRows(const relax::Expr& value);

}  // namespace rx::views
