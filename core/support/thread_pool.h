// Worker threads with stacks of a chosen size, and cancellable tasks.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/support/cancel.h"
#include "core/support/monitor.h"

namespace rx {

/// One submitted piece of work; copies refer to the same.
class Task {
 public:
  /// Asks the work to stop: work not yet begun is dropped, running work sees its token.
  void cancel() const { state_->token.cancel(); }
  /// Waits until the work ended or was dropped.
  void wait() const;
  bool done() const;

 private:
  friend class ThreadPool;
  struct State {
    CancelToken token;
    std::function<void(const CancelToken&)> work;
    mutable Monitor monitor;
    bool done = false;
  };
  explicit Task(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Runs tasks in the order of submission on `threads` threads (0: one a core). The destructor cancels what waits
/// and waits for what runs.
class ThreadPool {
 public:
  static constexpr size_t kLargeStack = size_t{64} << 20;
  explicit ThreadPool(unsigned threads = 0, size_t stackBytes = kLargeStack);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  Task submit(std::function<void(const CancelToken&)> work) { return submit(CancelToken(), std::move(work)); }
  Task submit(CancelToken token, std::function<void(const CancelToken&)> work);
  unsigned threadCount() const { return static_cast<unsigned>(threads_.size()); }
  /// For a thread of the pool: where it runs on this processor it goes to another. The system often wakes a thread where
  /// the one runs that wakes it, and lets both take turns there while another processor has nothing to do.
  void leaveProcessor(int processor) const;

 private:
  void run();
  std::shared_ptr<Task::State> next(bool first);
  static void* threadMain(void* self);
  cpu_set_t allowed_;  ///< that the pool may run on
  std::vector<pthread_t> threads_;
  Monitor monitor_;
  std::deque<std::shared_ptr<Task::State>> queue_;
  std::atomic<size_t> queued_{0};  ///< how many there are, for who looks without the lock
  std::atomic<bool> stopping_{false};
};

/// Processors that this process may run on.
unsigned processorCount();

/// Calls `body(i)` for i in [0, count) on the pool and waits; indices are handed out one by one. A cancelled
/// token stops further indices.
void parallelFor(ThreadPool& pool, size_t count, const CancelToken& token, const std::function<void(size_t)>& body);
/// The same, with the calling thread as one more of those that take indices, with its stack; `pool` may be null. It
/// waits for those others alone that have begun: a thread that wakes late finds nothing to do. For work of
/// microseconds: who waits looks again and again for a moment before it sleeps, as a thread of the pool does behind
/// each task.
void parallelForHere(ThreadPool* pool, size_t count, const CancelToken& token, const std::function<void(size_t)>& body);

}  // namespace rx
