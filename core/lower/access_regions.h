// The regions of buffers that a block reads and writes, as its body shows them.
#pragma once

#include <unordered_map>

#include "core/ir/stmt.h"

namespace rx::lower {

/// Buffers by their pointers.
using BufferByPointer = std::unordered_map<const tir::Var*, tir::BufferRef>;

struct AccessRegions {
  Array<Ref<tir::BufferRegion>> reads, writes;
};

/// Every buffer in `outside` that the body accesses, in the order of first access, with the region around all its
/// accesses; blocks inside count by what they say of themselves. A buffer whose pointer is used, but not how, is read
/// and written whole. Buffers that are not in `outside` are left out.
AccessRegions accessRegions(const tir::Block& block, const BufferByPointer& outside);

/// The region of a matched buffer as a region of its source.
Array<Ref<tir::Range>> sourceRegion(const tir::MatchBufferRegion& match, const Array<Ref<tir::Range>>& region);
/// All of the buffer.
Array<Ref<tir::Range>> wholeRegion(const tir::Buffer& buffer);

}  // namespace rx::lower
