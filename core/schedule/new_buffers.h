// Buffers that primitives put beside or in the place of others.
#pragma once

#include "core/ir/stmt.h"

namespace rx::schedule {

/// A buffer of its own with this shape, in the same memory.
tir::BufferRef reshaped(const tir::Buffer& buffer, Array<tir::PrimExpr> shape, std::string_view suffix);
/// The same buffer in another memory, which its name says.
tir::BufferRef inScope(const tir::Buffer& buffer, std::string_view scope);

/// One element at these indices, as a region.
Ref<tir::BufferRegion> pointRegion(const tir::BufferRef& buffer, std::span<const tir::PrimExpr> indices);
/// The statement with one buffer in the place of another, where it is allocated too.
tir::Stmt withBuffer(const tir::Stmt& statement, const tir::BufferRef& from, const tir::BufferRef& to);
/// The block with another buffer allocated.
Ref<tir::Block> allocating(const tir::Block& block, tir::BufferRef buffer);

}  // namespace rx::schedule
