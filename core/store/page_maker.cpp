#include "core/store/page_maker.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/store/format.h"

namespace rx::store {

namespace {

/// What is written at a time.
constexpr uint64_t kMostZeros = 256 << 10;
constexpr std::byte kZeros[kMostZeros] = {};

}  // namespace

int makePages(int file, uint64_t offset, std::span<std::byte> mapped) {
  // Written, not only allocated: a page that holds something already is mapped at half the cost.
  for (uint64_t done = 0; done < mapped.size();) {
    const uint64_t size = std::min(mapped.size() - done, kMostZeros);
    if (const int error = writeFile(file, offset + done, std::span(kZeros).first(size)); error != 0) return error;
    // All its pages at once: a fault for each costs more than what is written there.
    const uint64_t inside = (offset + done) % static_cast<uint64_t>(kPieceBytes);
    std::byte* const page = mapped.data() + done - inside;
    if (::madvise(page, size + inside, MADV_POPULATE_WRITE) != 0 && errno == EFAULT) return errno;
    done += size;
  }
  return 0;
}

PageMaker::PageMaker(int file, LateWriter& late) : file_(file), late_(late) {
  started_ = ::pthread_create(&thread_, nullptr, threadMain, this) == 0;
}

PageMaker::~PageMaker() {
  if (!started_) return;
  {
    const std::lock_guard lock(monitor_);
    ends_ = true;
    monitor_.notifyAll();
  }
  ::pthread_join(thread_, nullptr);
}

void* PageMaker::threadMain(void* self) {
  static_cast<PageMaker*>(self)->work();
  return nullptr;
}

void PageMaker::work() {
  std::unique_lock lock(monitor_);
  for (;;) {
    monitor_.wait([&] { return !parts_.empty() || ends_; });
    if (parts_.empty()) return;
    const Part part = parts_.front();
    lock.unlock();
    if (error_.load(std::memory_order_relaxed) == 0) {
      const LateWriter::Pause pause(late_);
      error_.store(makePages(file_, part.offset, part.mapped), std::memory_order_relaxed);
    }
    lock.lock();
    parts_.pop_front();
    if (parts_.empty()) busy_.store(false, std::memory_order_release);
    monitor_.notifyAll();
  }
}

bool PageMaker::begin(uint64_t offset, std::span<std::byte> mapped) {
  if (!started_) return false;
  const std::lock_guard lock(monitor_);
  parts_.push_back({offset, mapped});
  busy_.store(true, std::memory_order_release);
  monitor_.notifyAll();
  return true;
}

int PageMaker::await(uint64_t offset) {
  if (busy_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(monitor_);
    monitor_.wait([&] {
      return std::none_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.offset == offset; });
    });
  }
  return error_.load(std::memory_order_relaxed);
}

int PageMaker::awaitAll() {
  if (busy_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(monitor_);
    monitor_.wait([&] { return parts_.empty(); });
  }
  return error_.load(std::memory_order_relaxed);
}

}  // namespace rx::store
