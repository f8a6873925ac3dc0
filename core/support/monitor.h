// Monitor: a lock with a condition, of the system's own kind, so that it needs nothing of the C++ library as code.
#pragma once

#include <pthread.h>

namespace rx {

class Monitor {
 public:
  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }
  /// As std::lock_guard calls them.
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  /// Waits, unlocked, until it is told of a change and `holds()`; the caller has the lock.
  template <class Condition>
  void wait(Condition holds) {
    while (!holds()) pthread_cond_wait(&changed_, &mutex_);
  }
  void notifyOne() { pthread_cond_signal(&changed_); }
  void notifyAll() { pthread_cond_broadcast(&changed_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

}  // namespace rx
