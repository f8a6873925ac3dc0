#include "core/support/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/support/assert.h"
#include "core/support/clock.h"

namespace rx {

void Task::wait() const {
  std::lock_guard lock(state_->monitor);
  state_->monitor.wait([&] { return state_->done; });
}

bool Task::done() const {
  std::lock_guard lock(state_->monitor);
  return state_->done;
}

namespace {

/// Of this thread; none where the system does not say.
cpu_set_t allowedProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
  return allowed;
}

}  // namespace

unsigned processorCount() {
  const cpu_set_t allowed = allowedProcessors();
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
}

namespace {

/// How long a thread looks for what it waits for before it sleeps: some times what it costs to be woken by the system
/// in a virtual machine, so that it is there again behind a part of a run that one thread alone works on.
constexpr int64_t kSpinNanoseconds = 200000;

/// A moment in which the processor does nothing.
void pauseShortly() {
  for (int i = 0; i < 4; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

/// Looks until it holds, or so long that it is better to sleep; without a lock. False where it did not hold.
template <class Condition>
bool spinUntil(const Condition& holds) {
  const int64_t end = nanosecondsNow() + kSpinNanoseconds;
  while (!holds()) {
    if (nanosecondsNow() >= end) return false;
    pauseShortly();
  }
  return true;
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads, size_t stackBytes) : allowed_(allowedProcessors()) {
  if (threads == 0) threads = processorCount();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  for (unsigned i = 0; i < threads; ++i) {
    pthread_t thread = {};
    if (pthread_create(&thread, &attributes, &ThreadPool::threadMain, this) == 0) threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  RX_ASSERT(!threads_.empty(), "no worker thread with a stack of {} bytes could be started", stackBytes);
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(monitor_);
    stopping_ = true;
    for (const auto& state : queue_) state->token.cancel();
  }
  monitor_.notifyAll();
  for (pthread_t thread : threads_) pthread_join(thread, nullptr);
}

Task ThreadPool::submit(CancelToken token, std::function<void(const CancelToken&)> work) {
  auto state = std::make_shared<Task::State>();
  state->token = std::move(token);
  state->work = std::move(work);
  {
    std::lock_guard lock(monitor_);
    queue_.push_back(state);
    ++queued_;
  }
  monitor_.notifyOne();
  return Task(std::move(state));
}

void ThreadPool::leaveProcessor(int processor) const {
  if (processor < 0 || sched_getcpu() != processor) return;
  cpu_set_t others = allowed_;
  CPU_CLR(static_cast<size_t>(processor), &others);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(0, sizeof others, &others);
}

void* ThreadPool::threadMain(void* self) {
  static_cast<ThreadPool*>(self)->run();
  return nullptr;
}

/// Null where the pool ends. `first`: of this thread, which has nothing to be soon again for.
std::shared_ptr<Task::State> ThreadPool::next(bool first) {
  const auto comes = [&] { return queued_.load(std::memory_order_relaxed) > 0 || stopping_; };
  for (bool sleeps = first;;) {
    sleeps = sleeps || !spinUntil(comes);
    const std::lock_guard lock(monitor_);
    if (sleeps) monitor_.wait(comes);
    // Of several that see a task one gets it.
    if (!queue_.empty()) {
      auto state = std::move(queue_.front());
      queue_.pop_front();
      --queued_;
      return state;
    }
    if (stopping_) return nullptr;
  }
}

void ThreadPool::run() {
  for (bool first = true;; first = false) {
    const std::shared_ptr<Task::State> state = next(first);
    if (!state) return;
    if (!state->token.cancelled()) state->work(state->token);
    // What the work captured is released before the waiter goes on.
    state->work = nullptr;
    std::lock_guard lock(state->monitor);
    state->done = true;
    state->monitor.notifyAll();
  }
}

namespace {

/// Indices, which whoever runs it takes one by one.
class Indices {
 public:
  Indices(size_t count, const std::function<void(size_t)>& body) : count_(count), body_(body) {}
  void run(const CancelToken& token) {
    for (size_t i = next_.fetch_add(1); i < count_ && !token.cancelled(); i = next_.fetch_add(1)) body_(i);
  }

 private:
  const size_t count_;
  const std::function<void(size_t)>& body_;
  std::atomic<size_t> next_{0};
};

/// Indices that threads help somebody with. One that comes when it is closed touches nothing: the body may be gone.
class SharedIndices {
 public:
  SharedIndices(size_t count, const std::function<void(size_t)>& body) : indices_(count, body) {}

  void help(const CancelToken& token) {
    // Whoever sees that it is closed has not come; whoever comes before is waited for.
    if (helping_.fetch_add(1) < kClosed) indices_.run(token);
    if (helping_.fetch_sub(1) != kClosed + 1) return;
    const std::lock_guard lock(monitor_);
    monitor_.notifyAll();
  }
  void runAndClose(const CancelToken& token) {
    indices_.run(token);
    const auto alone = [&] { return helping_.load() == kClosed; };
    if (helping_.fetch_add(kClosed) == 0 || spinUntil(alone)) return;
    const std::lock_guard lock(monitor_);
    monitor_.wait(alone);
  }

 private:
  static constexpr int kClosed = 1 << 30;  ///< more than threads that help
  Indices indices_;
  Monitor monitor_;
  std::atomic<int> helping_{0};  ///< how many help, and kClosed where nobody comes any more
};

}  // namespace

void parallelFor(ThreadPool& pool, size_t count, const CancelToken& token, const std::function<void(size_t)>& body) {
  Indices indices(count, body);
  std::vector<Task> tasks;
  const size_t workers = std::min<size_t>(count, pool.threadCount());
  for (size_t i = 0; i < workers; ++i)
    tasks.push_back(pool.submit(token, [&](const CancelToken& own) { indices.run(own); }));
  for (const Task& task : tasks) task.wait();
}

void parallelForHere(ThreadPool* pool, size_t count, const CancelToken& token,
                     const std::function<void(size_t)>& body) {
  const auto shared = std::make_shared<SharedIndices>(count, body);
  const size_t helpers = std::min<size_t>(count > 0 ? count - 1 : 0, pool ? pool->threadCount() : 0);
  const int here = helpers > 0 ? sched_getcpu() : -1;
  // One that waits when the pool ends is dropped, which is not to cancel what the token is of.
  for (size_t i = 0; i < helpers; ++i)
    pool->submit([shared, token, pool, here](const CancelToken&) {
      pool->leaveProcessor(here);
      shared->help(token);
    });
  shared->runAndClose(token);
}

}  // namespace rx
