// PageMaker: parts of the file get their blocks and pages on a thread of its own, ahead of their use, while the program
// goes on.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>

#include "core/store/late_writer.h"
#include "core/support/monitor.h"

namespace rx::store {

/// Puts zeros into a part of the file, which lies at `mapped`, and its pages where this process finds them at once. 0,
/// or the number of what went wrong.
int makePages(int file, uint64_t offset, std::span<std::byte> mapped);

/// Its methods are for one thread.
class PageMaker {
 public:
  /// While it changes the file, `late` begins no run.
  PageMaker(int file, LateWriter& late);
  /// Waits for what is under way.
  ~PageMaker();
  PageMaker(const PageMaker&) = delete;
  PageMaker& operator=(const PageMaker&) = delete;

  /// False where there is no thread for it, and nothing was begun.
  bool begin(uint64_t offset, std::span<std::byte> mapped);
  /// Waits until the part that begins here is made, and all before it. As makePages, of all that was begun.
  int await(uint64_t offset);
  int awaitAll();

 private:
  struct Part {
    uint64_t offset;
    std::span<std::byte> mapped;
  };
  static void* threadMain(void* self);
  void work();

  int file_;
  LateWriter& late_;
  pthread_t thread_ = {};
  bool started_ = false;
  std::atomic<bool> busy_ = false;  ///< the list holds something
  std::atomic<int> error_ = 0;
  Monitor monitor_;         ///< of what follows
  std::deque<Part> parts_;  ///< the first is being made
  bool ends_ = false;
};

}  // namespace rx::store
