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

unsigned processorCount() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
}

namespace {

/// How long a thread looks for what it waits for before it sleeps: about what it costs to be woken by the system, in a
/// virtual machine.
constexpr int64_t kSpinNanoseconds = 50000;

/// About a microsecond in which the processor does nothing.
void pauseShortly() {
  for (int i = 0; i < 32; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

/// As Monitor::wait, but that it looks often at first. The caller has the lock.
template <class Condition>
void waitShortly(Monitor& monitor, const Condition& holds) {
  const int64_t end = nanosecondsNow() + kSpinNanoseconds;
  while (!holds() && nanosecondsNow() < end) {
    monitor.unlock();
    pauseShortly();
    monitor.lock();
  }
  monitor.wait(holds);
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads, size_t stackBytes) {
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
  }
  monitor_.notifyOne();
  return Task(std::move(state));
}

void* ThreadPool::threadMain(void* self) {
  static_cast<ThreadPool*>(self)->run();
  return nullptr;
}

void ThreadPool::run() {
  for (bool first = true;; first = false) {
    std::shared_ptr<Task::State> state;
    {
      std::lock_guard lock(monitor_);
      const auto comes = [&] { return stopping_ || !queue_.empty(); };
      if (first) {
        monitor_.wait(comes);
      } else {
        waitShortly(monitor_, comes);
      }
      if (queue_.empty()) return;
      state = std::move(queue_.front());
      queue_.pop_front();
    }
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
    {
      const std::lock_guard lock(monitor_);
      if (closed_) return;
      ++helping_;
    }
    indices_.run(token);
    const std::lock_guard lock(monitor_);
    --helping_;
    monitor_.notifyAll();
  }
  void runAndClose(const CancelToken& token) {
    indices_.run(token);
    const std::lock_guard lock(monitor_);
    closed_ = true;
    waitShortly(monitor_, [&] { return helping_ == 0; });
  }

 private:
  Indices indices_;
  Monitor monitor_;
  int helping_ = 0;
  bool closed_ = false;
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
  // One that waits when the pool ends is dropped, which is not to cancel what the token is of.
  for (size_t i = 0; i < helpers; ++i) pool->submit([shared, token](const CancelToken&) { shared->help(token); });
  shared->runAndClose(token);
}

}  // namespace rx
