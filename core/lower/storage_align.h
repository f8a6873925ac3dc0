// What schedules say about the alignment of allocated buffers, by dimension.
#pragma once

#include <unordered_map>

#include "core/ir/stmt.h"

namespace rx::lower {

constexpr std::string_view kDimAlign = "buffer_dim_align";

/// One entry of `buffer_dim_align`: the stride of a dimension is `offset` more than a multiple of `factor`, elements.
struct DimAlign {
  int64_t dim = 0, factor = 0, offset = 0;
};
/// By the pointer of the buffer.
using StorageAligns = std::unordered_map<const tir::Var*, std::vector<DimAlign>>;

/// Collects the annotations of blocks (whose entries start with the index of a written buffer) and of allocations
/// (which start with -1). Entries of another form, or that name no buffer, are left out.
StorageAligns storageAligns(const tir::Stmt& body);

/// The annotation of an allocation that says the same.
NodeRef alignAnnotation(const std::vector<DimAlign>& aligns);

}  // namespace rx::lower
