#include "core/store/piece_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstring>

namespace rx::store {
namespace {

/// Bytes that are written at a time: a run keeps its source, which the caller may reuse afterwards.
constexpr size_t kLongestRun = 8 << 20;

}  // namespace

std::optional<std::byte> uniformByte(std::span<const std::byte> piece) {
  if (piece.empty()) return {};
  if (piece.size() <= sizeof(uint64_t)) {
    for (std::byte byte : piece)
      if (byte != piece[0]) return {};
  } else if (std::memcmp(piece.data(), piece.data() + 1, piece.size() - 1) != 0) {
    return {};
  }
  return piece[0];
}

uint32_t PiecePool::hashOf(std::span<const std::byte> piece) {
  if (piece.size() < static_cast<size_t>(kPieceBytes))
    return static_cast<uint32_t>(XXH3_64bits(piece.data(), piece.size()));
  // What has the same hash is compared. A word here and there, each at another place of its line, tells nearly all
  // apart without reading the rest.
  constexpr size_t kStride = 256 + sizeof(uint64_t);
  std::array<uint64_t, kPieceBytes / kStride + 1> sample;
  for (size_t i = 0; i < sample.size(); ++i) std::memcpy(&sample[i], piece.data() + i * kStride, sizeof(uint64_t));
  return static_cast<uint32_t>(XXH3_64bits(sample.data(), sizeof sample));
}

uint64_t PiecePool::keep(std::span<const std::byte> piece, uint32_t hash) {
  if (piece.size() < static_cast<size_t>(kPieceBytes)) {
    const uint64_t offset = heap_.allocate(piece.size(), piece.size() < 64 ? 8 : 64);
    if (offset != 0) std::memcpy(space_.at(offset), piece.data(), piece.size());
    return offset;
  }
  if (const uint64_t known = find(piece, hash)) return known;
  const uint64_t offset = place(piece);
  const uint64_t page = offset / static_cast<uint64_t>(kPieceBytes);
  if (page <= UINT32_MAX) remember({hash, static_cast<uint32_t>(page)});
  return offset;
}

uint64_t PiecePool::find(std::span<const std::byte> page, uint32_t hash) {
  for (size_t i = 0; i < kProbes; ++i) {
    const Entry& entry = entries_[(hash + i) & (entries_.size() - 1)];
    if (entry.hash != hash || entry.page == 0) continue;
    const uint64_t offset = uint64_t{entry.page} * static_cast<uint64_t>(kPieceBytes);
    const std::byte* known = read(offset);
    if (!known) return 0;
    if (std::memcmp(known, page.data(), page.size()) == 0) return offset;
  }
  return 0;
}

void PiecePool::remember(Entry entry) {
  if (filled_ * 2 >= entries_.size() && entries_.size() < kMostEntries) grow();
  size_t at = entry.hash & (entries_.size() - 1);
  for (size_t i = 0; i < kProbes; ++i) {
    const size_t free = (entry.hash + i) & (entries_.size() - 1);
    if (entries_[free].page != 0) continue;
    at = free;
    ++filled_;
    break;
  }
  entries_[at] = entry;
}

void PiecePool::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  filled_ = 0;
  for (const Entry& entry : old)
    if (entry.page != 0) remember(entry);
}

uint64_t PiecePool::place(std::span<const std::byte> page) {
  const bool joins = !run_.empty() && page.data() == run_.data() + run_.size() && run_.size() < kLongestRun &&
                     space_.end() == runOffset_ + run_.size();
  if (!joins && !flush()) return 0;
  const uint64_t offset = space_.take(page.size(), kPieceBytes);
  if (offset == 0) return 0;
  if (joins) {
    run_ = {run_.data(), run_.size() + page.size()};
  } else {
    run_ = page;
    runOffset_ = offset;
  }
  return offset;
}

bool PiecePool::flush() {
  if (run_.empty()) return space_.stopped().empty();
  const bool done = space_.writeLate(runOffset_, run_);
  run_ = {};
  return done;
}

const std::byte* PiecePool::read(uint64_t offset) {
  const bool waits = !run_.empty() && offset >= runOffset_ && offset < runOffset_ + run_.size();
  if (waits && !flush()) return nullptr;
  if (space_.isLate(offset) && !space_.settle()) return nullptr;
  return space_.at(offset);
}

}  // namespace rx::store
