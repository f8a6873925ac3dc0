// Where the elements of a buffer lie in its memory.
#pragma once

#include "core/arith/analyzer.h"
#include "core/ir/stmt.h"

namespace rx::lower {

/// The place of an element in a buffer's memory, in elements, the buffer's own offset included; simplified with
/// nothing known.
tir::PrimExpr elementOffset(const tir::Buffer& buffer, std::span<const tir::PrimExpr> indices);

/// Offsets of an element by groups of axes, as `axis_separators` part them; the buffer's offset belongs to the last.
std::vector<tir::PrimExpr> elementOffsets(const tir::Buffer& buffer, std::span<const tir::PrimExpr> indices);

/// Sizes of the buffer with each group of axes as one.
std::vector<tir::PrimExpr> flatShape(const tir::Buffer& buffer);

}  // namespace rx::lower
