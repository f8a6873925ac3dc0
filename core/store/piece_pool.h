// PiecePool: the bytes of pieces, equal ones once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/store/heap.h"

namespace rx::store {

/// A second copy is kept of pages that are not among the last million different ones, and of what is shorter than a
/// page, for which the search would cost more than the copy.
class PiecePool {
 public:
  PiecePool(FileSpace& space, Heap& heap) : space_(space), heap_(heap), entries_(kFirstEntries) {}

  static uint32_t hashOf(std::span<const std::byte> piece);
  /// Offset of these bytes in the file, or 0 when the recording has ended. Until flush() the file may lack the bytes,
  /// and `piece` must stay as it is: for what is less than many pages only until then, else until the file's settle().
  uint64_t keep(std::span<const std::byte> piece, uint32_t hash);
  bool flush();
  /// The bytes of a piece that was kept, which are there now; null when the recording has ended.
  const std::byte* read(uint64_t offset);

 private:
  struct Entry {
    uint32_t hash = 0;
    uint32_t page = 0;  ///< its number in the file; 0 where there is none
  };
  static constexpr size_t kFirstEntries = 1 << 8, kMostEntries = 1 << 20, kProbes = 8;

  uint64_t find(std::span<const std::byte> page, uint32_t hash);
  void remember(Entry entry);
  void grow();
  uint64_t place(std::span<const std::byte> page);

  FileSpace& space_;
  Heap& heap_;
  std::vector<Entry> entries_;
  size_t filled_ = 0;
  std::span<const std::byte> run_;  ///< neighbours in memory that become neighbours in the file, not written yet
  uint64_t runOffset_ = 0;
};

/// The value of every byte, nothing where they differ.
std::optional<std::byte> uniformByte(std::span<const std::byte> piece);

}  // namespace rx::store
