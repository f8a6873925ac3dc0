// Formats that a processor does not know (bfloat16, the 8-bit floats): computed in a wider format, kept as integers.
#pragma once

#include "core/lower/scope.h"

namespace rx::lower {

/// A family of element types that have to be legalized.
using FloatFamily = bool (*)(DataType);
bool isBFloat16(DataType dtype);
bool isFloat8(DataType dtype);

/// Computes in `wide` what the function computes in a type of the family; buffers that it allocates, and whose pointer
/// nothing takes as a whole, hold values of the wide type. Other buffers stay, their values are converted.
tir::PrimFuncRef legalizeFloatCompute(const tir::PrimFuncRef& function, FloatFamily family, DataType wide);
/// Keeps values of the family in unsigned integers of the same width. The function has no buffer parameters any more
/// (lower.order), so this runs after MakePackedAPI.
Result<tir::PrimFuncRef> legalizeFloatStorage(const tir::PrimFuncRef& function, FloatFamily family);

}  // namespace rx::lower
