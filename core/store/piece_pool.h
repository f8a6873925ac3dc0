// PiecePool: the bytes of pieces, equal ones once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/store/heap.h"

namespace rx::store {

/// A second copy is kept of pieces that are not among the last million different ones, and of those of less than
/// kLeastShared bytes, for which the search would cost more than the copy.
class PiecePool {
 public:
  PiecePool(FileSpace& space, Heap& heap) : space_(space), heap_(heap), entries_(kFirstEntries) {}

  static uint64_t hashOf(std::span<const std::byte> piece);
  /// Offset of these bytes in the file, or 0 when the recording has ended. Until flush() the file may lack the bytes,
  /// and `piece` must stay as it is.
  uint64_t keep(std::span<const std::byte> piece, uint64_t hash);
  bool flush();

 private:
  struct Entry {
    uint64_t hash = 0;
    uint64_t place = 0;  ///< offset, and length above kOffsetBits
  };
  static constexpr size_t kLeastShared = 256;
  static constexpr size_t kFirstEntries = 1 << 8, kMostEntries = 1 << 20, kProbes = 8;
  static constexpr unsigned kOffsetBits = 48;

  uint64_t find(std::span<const std::byte> piece, uint64_t hash);
  void remember(uint64_t hash, uint64_t place);
  void grow();
  uint64_t place(std::span<const std::byte> piece);

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
