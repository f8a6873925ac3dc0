#include "core/store/heap.h"

#include <algorithm>
#include <bit>

namespace rx::store {
namespace {

/// Addresses that are taken at a time; a record of a quarter of the largest or more has its own.
constexpr uint64_t kSmallestChunk = 8 << 10, kLargestChunk = 1 << 20;

}  // namespace

uint64_t Heap::allocateSlowly(uint64_t bytes, uint64_t alignment) {
  if (!space_.stopped().empty()) return 0;
  if (bytes >= kLargestChunk / 4) {
    const uint64_t own = space_.take(bytes, alignment);
    return own && space_.back(own, bytes) ? own : 0;
  }
  uint64_t offset = (next_ + alignment - 1) / alignment * alignment;
  if (offset + bytes > chunk_.end()) {
    chunkBytes_ = std::clamp(chunkBytes_ * 2, kSmallestChunk, kLargestChunk);
    chunkBytes_ = std::max(chunkBytes_, std::bit_ceil(bytes));
    offset = space_.take(chunkBytes_, kPieceBytes);
    if (offset == 0) return 0;
    chunk_ = FilledRange(offset, chunkBytes_);
  }
  next_ = offset + bytes;
  return chunk_.reach(space_, next_) ? offset : 0;
}

uint64_t Heap::counted(std::string_view bytes) {
  const uint64_t offset = allocate(sizeof(uint32_t) + bytes.size());
  if (offset == 0) return 0;
  space_.as<uint32_t>(offset) = static_cast<uint32_t>(bytes.size());
  std::memcpy(space_.at(offset + sizeof(uint32_t)), bytes.data(), bytes.size());
  return offset;
}

}  // namespace rx::store
