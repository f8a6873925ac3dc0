// Conversions between floating-point formats by arithmetic on their bits, for processors that do not know a format.
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::lower {

/// The unsigned integer of the same width and lanes.
DataType storageType(DataType dtype);
/// The bits of a value as a value of another type of the same width; the value itself where it has that type.
tir::PrimExpr reinterpreted(DataType dtype, tir::PrimExpr value);
/// The value in another floating-point format of as many lanes, rounded to nearest, ties to even. Infinity, NaN and
/// what is too small or too large for the format are not treated: the bits are taken as those of a normal number, and
/// what lies below the least normal number is 0 (the rule of TVM v0.25).
tir::PrimExpr convertedFloat(const tir::PrimExpr& value, DataType dtype);

}  // namespace rx::lower
