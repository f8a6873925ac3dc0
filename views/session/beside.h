// Work on a function beside what its caller does meanwhile.
#pragma once

#include <QThreadPool>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "views/models/worker.h"

namespace rx::views {

/// What is made by a thread of the pool, or, where none came to it, by the one that asks for it: a thread of the pool
/// may therefore wait for it. Work that nobody asked for is not begun any more when this goes.
template <class T>
class Beside {
 public:
  Beside() = default;
  explicit Beside(std::function<T()> make) : work_(std::make_shared<Work>(std::move(make))) {}
  Beside(Beside&& other) noexcept : work_(std::move(other.work_)) {}
  Beside& operator=(Beside&& other) noexcept {
    std::swap(work_, other.work_);
    return *this;
  }
  ~Beside() {
    if (work_ && work_->taken.exchange(true)) work_->made.get_future().wait();
  }
  void startOn(QThreadPool& pool) {
    // Before what other views have asked for: somebody waits for the whole that this is a part of.
    constexpr int kFirst = 1;
    const auto run = [work = work_] {
      giveWay();
      work->run();
    };
    pool.start(run, kFirst);
  }
  bool valid() const { return work_ != nullptr; }
  /// Once; what was there before is gone with it.
  T get() {
    const std::shared_ptr<Work> work = std::exchange(work_, nullptr);
    work->run();
    return work->made.get_future().get();
  }

 private:
  struct Work {
    explicit Work(std::function<T()> what) : make(std::move(what)) {}
    void run() {
      if (!taken.exchange(true)) made.set_value(make());
    }
    std::function<T()> make;
    std::atomic<bool> taken = false;
    std::promise<T> made;
  };
  std::shared_ptr<Work> work_;
};

/// What `make` gives, for a function of so many bindings: of a small function when it is asked for, which is sooner
/// than a thread is there. What `make` reads stays as it is until then.
template <class Make>
auto beside(size_t bindings, Make make) {
  constexpr size_t kLarge = 1000;
  Beside<decltype(make())> made(std::move(make));
  if (bindings >= kLarge) made.startOn(*QThreadPool::globalInstance());
  return made;
}

}  // namespace rx::views
