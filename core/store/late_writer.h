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

  /// False where there is no thread for it, and nothing was begun. Until settle() or leave() the bytes stay as they
  /// are.
  bool write(uint64_t offset, std::span<const std::byte> bytes);
  /// Stores, with release order, when all that was handed over before is in the file; at once where it is.
  void publish(uint64_t& place, uint64_t value);
  /// Whether bytes of this part of the file are under way.
  bool writes(uint64_t offset);
  /// While one lives, on whatever thread, the thread begins no run: who changes the file waits for the one that it is
  /// at, and no longer. The system would give the file to the thread again and again.
  class Pause {
   public:
    explicit Pause(LateWriter& late) : late_(late.busy_.load(std::memory_order_acquire) ? &late : nullptr) {
      if (late_) late_->pause(1);
    }
    ~Pause() {
      if (late_) late_->pause(-1);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    LateWriter* late_;
  };
  /// Waits until nothing that is under way comes from this memory.
  void leave(const std::byte* from, uint64_t bytes);
  /// Waits until nothing is under way. The number of what went wrong, with which nothing that follows is published; 0
  /// for nothing.
  int settle();
  /// The same of what is done by now.
  int failed() const { return error_.load(std::memory_order_relaxed); }

 private:
  struct Run {
    uint64_t offset;
    std::span<const std::byte> bytes;
    uint64_t* place = nullptr;
    uint64_t value = 0;
  };
  static void* threadMain(void* self);
  void work();
  void pause(int more);

  int file_;
  pthread_t thread_ = {};
  bool started_ = false;
  std::atomic<bool> busy_ = false;  ///< the list holds something: asked at every step, without the lock
  std::atomic<int> error_ = 0;
  Monitor monitor_;       ///< of what follows
  std::deque<Run> runs_;  ///< the first is being written
  bool ends_ = false;
  int paused_ = 0;  ///< Pauses that live
};

/// 0, or the number of what went wrong.
int writeFile(int file, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace rx::store
