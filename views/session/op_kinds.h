// Which colour family an operator belongs to: a table of the views with the operator's name as key.
#pragma once

#include <string_view>

#include "views/theme/palette.h"

namespace rx::views {

/// Kind of an operator by its full name ("relax.nn.softmax"); Other when no row says more.
OpKind opKindOf(std::string_view op);
/// Kind of a kernel by the operator that its name begins with ("fused_matmul1_add" is matmul's); Compute otherwise.
OpKind kernelKindOf(std::string_view kernel);

}  // namespace rx::views
