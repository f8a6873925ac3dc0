// Intrinsics by the names that emitters know them by.
#pragma once

#include <string>
#include <string_view>

#include "core/ir/prim_expr.h"

namespace rx::codegen {

/// The short name of the intrinsic that is called; empty for calls of anything else.
std::string_view intrinsicName(const tir::Call& call);

/// Why there is no atomic addition of a type.
std::string atomicText(DataType type);

}  // namespace rx::codegen
