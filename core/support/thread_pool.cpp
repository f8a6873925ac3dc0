#include "core/support/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/support/assert.h"

namespace rx {

void Task::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->finished.wait(lock, [&] { return state_->done; });
}

bool Task::done() const {
  std::lock_guard lock(state_->mutex);
  return state_->done;
}

ThreadPool::ThreadPool(unsigned threads, size_t stackBytes) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
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
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& state : queue_) state->token.cancel();
  }
  wake_.notify_all();
  for (pthread_t thread : threads_) pthread_join(thread, nullptr);
}

Task ThreadPool::submit(CancelToken token, std::function<void(const CancelToken&)> work) {
  auto state = std::make_shared<Task::State>();
  state->token = std::move(token);
  state->work = std::move(work);
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(state);
  }
  wake_.notify_one();
  return Task(std::move(state));
}

void* ThreadPool::threadMain(void* self) {
  static_cast<ThreadPool*>(self)->run();
  return nullptr;
}

void ThreadPool::run() {
  while (true) {
    std::shared_ptr<Task::State> state;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      state = std::move(queue_.front());
      queue_.pop_front();
    }
    if (!state->token.cancelled()) state->work(state->token);
    // What the work captured is released before the waiter goes on.
    state->work = nullptr;
    std::lock_guard lock(state->mutex);
    state->done = true;
    state->finished.notify_all();
  }
}

void parallelFor(ThreadPool& pool, size_t count, const CancelToken& token, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next{0};
  auto worker = [&](const CancelToken& own) {
    for (size_t i = next.fetch_add(1); i < count && !own.cancelled(); i = next.fetch_add(1)) body(i);
  };
  std::vector<Task> tasks;
  const size_t workers = std::min<size_t>(count, pool.threadCount());
  for (size_t i = 0; i < workers; ++i) tasks.push_back(pool.submit(token, worker));
  for (const Task& task : tasks) task.wait();
}

}  // namespace rx
