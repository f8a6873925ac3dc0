// LateWriter: large runs of bytes that go to the file on a thread of their own, while the program goes on. They are
// taken from where they lie, and what is said to follow them is said when they are there.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>

#include "core/support/monitor.h"

namespace rx::store {

/// Its methods are for one thread.
class LateWriter {
 public:
  explicit LateWriter(int file) : file_(file) {}
  /// Waits for what is under way.
  ~LateWriter();
  LateWriter(const LateWriter&) = delete;
  LateWriter& operator=(const LateWriter&) = delete;

  /// False where there is no thread for it, and nothing was begun. Until settle() the bytes stay as they are.
  bool write(uint64_t offset, std::span<const std::byte> bytes);
  /// Stores, with release order, when all that was handed over before is in the file; at once where it is.
  void publish(uint64_t& place, uint64_t value);
  /// Whether bytes of this memory, or of this part of the file, are under way.
  bool reads(const std::byte* from, uint64_t bytes);
  bool writes(uint64_t offset);
  /// Waits until nothing is. The number of what went wrong, with which nothing that follows is published; 0 for
  /// nothing.
  int settle();

 private:
  struct Run {
    uint64_t offset;
    std::span<const std::byte> bytes;
    uint64_t* place = nullptr;
    uint64_t value = 0;
  };
  static void* threadMain(void* self);
  void work();

  int file_;
  pthread_t thread_ = {};
  bool started_ = false;
  std::atomic<bool> busy_ = false;  ///< the list holds something: asked at every step, without the lock
  Monitor monitor_;                 ///< of what follows
  std::deque<Run> runs_;            ///< the first is being written
  bool ends_ = false;
  int error_ = 0;
};

/// 0, or the number of what went wrong.
int writeFile(int file, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace rx::store
