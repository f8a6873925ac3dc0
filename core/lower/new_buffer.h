// Buffers that a pass brings in.
#pragma once

#include "core/ir/all_nodes.h"

namespace rx::lower {

/// A dense buffer with a pointer of its own into memory of that scope.
tir::BufferRef newBuffer(Str name, DataType dtype, Array<tir::PrimExpr> shape, std::string_view scope = "global");
/// A buffer laid out as another, with a name, a shape and a pointer of its own.
tir::BufferRef bufferLike(const tir::Buffer& like, Str name, Array<tir::PrimExpr> shape, std::string_view scope);

}  // namespace rx::lower
