// The TIR intrinsics that tensor expressions use, by short name.
#pragma once

#include <string_view>

#include "core/ir/relax.h"

namespace rx::te {

/// The operator node of `tirx.NAME`; one object a name. The name must be one of the table in intrinsics.cpp.
relax::OpRef intrinsicOp(std::string_view name);

}  // namespace rx::te
