// The element type that a call of a TIR intrinsic has where its text names none.
#pragma once

#include <optional>

#include "core/op/tir_intrinsics.h"

namespace rx::op {

/// By the row and the arguments, of which there are at least `row.minArgs`; nothing where the text has to name it.
std::optional<DataType> unnamedType(const TirIntrinsic& row, std::span<const tir::PrimExpr> args);

}  // namespace rx::op
