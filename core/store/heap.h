// Heap: records of any size in the mapped file, never freed one by one.
#pragma once

#include <cstring>
#include <string_view>

#include "core/store/space.h"

namespace rx::store {

/// Records are eight bytes aligned; a counted one has its length (uint32_t) before its bytes.
class Heap {
 public:
  explicit Heap(FileSpace& space) : space_(space) {}

  /// Zeroed, on disk and mapped; 0 where there is no room for it, which ends the recording.
  uint64_t allocate(uint64_t bytes, uint64_t alignment = 8) {
    const uint64_t offset = (next_ + alignment - 1) / alignment * alignment;
    if (offset + bytes > chunk_.backed()) return allocateSlowly(bytes, alignment);
    next_ = offset + bytes;
    return offset;
  }
  /// Gives back what was put on disk ahead: no record follows.
  void trim() { space_.trim(next_, chunk_.ahead()); }
  /// Offset of a copy of `bytes`, or 0.
  uint64_t counted(std::string_view bytes);
  /// The bytes of a counted record that this writer made.
  std::string_view countedAt(uint64_t offset) const {
    return {reinterpret_cast<const char*>(space_.at(offset + sizeof(uint32_t))), space_.as<uint32_t>(offset)};
  }

 private:
  uint64_t allocateSlowly(uint64_t bytes, uint64_t alignment);

  FileSpace& space_;
  FilledRange chunk_;
  uint64_t chunkBytes_ = 0;  ///< of the last that was taken; each is twice as large, up to a limit
  uint64_t next_ = 0;
};

}  // namespace rx::store
