// StorageArena: the memory of a run. Counts what is live against a limit, and keeps blocks that were given back for the
// storages that come next.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/support/result.h"

namespace rx {

/// Thread-safe.
class StorageArena {
 public:
  static constexpr size_t kAlignment = 64;

  /// `filled`: blocks come with Storage::kFreshFill in every byte, the same in every run. Otherwise they hold zeros, or
  /// what an earlier storage of this arena left.
  explicit StorageArena(int64_t limit, bool filled = true) : limit_(limit), filled_(filled) {}
  StorageArena(const StorageArena&) = delete;
  StorageArena& operator=(const StorageArena&) = delete;
  ~StorageArena();

  /// A block of at least `bytes` (>= 0). Fails with vm.memory-budget where the limit would be passed, tensor.memory
  /// where the system has not enough.
  Result<std::byte*> take(int64_t bytes);
  /// Gives back what take(bytes) gave.
  void give(std::byte* block, int64_t bytes);

  bool filled() const { return filled_; }
  /// Bytes that are allowed, in use, and were in use at the most.
  int64_t limit() const { return limit_; }
  int64_t live() const { return live_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// Bytes of the blocks that wait for a storage.
  int64_t kept() const;

 private:
  /// Blocks of one size lie in a list, the first bytes of each pointing to the next.
  struct Free {
    Free* next;
  };
  static constexpr size_t kClasses = 8 * 48;
  std::byte* takeKept(size_t sizeClass, size_t bytes);
  bool count(int64_t bytes);

  int64_t limit_;
  bool filled_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
  mutable std::mutex mutex_;  ///< of what follows
  std::array<Free*, kClasses> kept_{};
  size_t keptBytes_ = 0;
  size_t usedBytes_ = 0;  ///< of blocks, and the most that they were
  size_t mostBytes_ = 0;
};

}  // namespace rx
