#include "core/store/late_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/store/format.h"

namespace rx::store {

namespace {
/// From so many bytes on, blocks are asked for before they are written: all at once they cost half of what each costs
/// when its page is.
constexpr uint64_t kLeastReserved = 128 << 10;
}  // namespace

int writeFile(int file, uint64_t offset, std::span<const std::byte> bytes) {
  // Where the file system can not, or has no room, the write below says so.
  if (bytes.size() >= kLeastReserved)
    (void)::fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes.size()));
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    offset += static_cast<uint64_t>(done);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return 0;
}

LateWriter::~LateWriter() {
  if (!started_) return;
  {
    const std::lock_guard lock(monitor_);
    ends_ = true;
    monitor_.notifyAll();
  }
  ::pthread_join(thread_, nullptr);
}

void* LateWriter::threadMain(void* self) {
  static_cast<LateWriter*>(self)->work();
  return nullptr;
}

void LateWriter::work() {
  std::unique_lock lock(monitor_);
  for (;;) {
    monitor_.wait([&] { return paused_ == 0 && (!runs_.empty() || ends_); });
    if (runs_.empty()) return;
    const Run run = runs_.front();
    if (failed() == 0) {
      lock.unlock();
      const int error = writeFile(file_, run.offset, run.bytes);
      lock.lock();
      error_.store(error, std::memory_order_relaxed);
    }
    const Run& done = runs_.front();
    if (done.place && failed() == 0) storeRelease(*done.place, done.value);
    runs_.pop_front();
    if (runs_.empty()) busy_.store(false, std::memory_order_release);
    monitor_.notifyAll();
  }
}

void LateWriter::pause(int more) {
  const std::lock_guard lock(monitor_);
  paused_ += more;
  if (paused_ == 0) monitor_.notifyAll();
}

bool LateWriter::write(uint64_t offset, std::span<const std::byte> bytes) {
  if (!started_) started_ = ::pthread_create(&thread_, nullptr, threadMain, this) == 0;
  if (!started_) return false;
  const std::lock_guard lock(monitor_);
  runs_.push_back({offset, bytes});
  busy_.store(true, std::memory_order_release);
  monitor_.notifyAll();
  return true;
}

void LateWriter::publish(uint64_t& place, uint64_t value) {
  if (busy_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(monitor_);
    if (!runs_.empty()) {
      runs_.back().place = &place;
      runs_.back().value = value;
      return;
    }
  }
  if (failed() == 0) storeRelease(place, value);
}

void LateWriter::leave(const std::byte* from, uint64_t bytes) {
  if (!busy_.load(std::memory_order_acquire)) return;
  const auto isFrom = [&](const Run& run) {
    return from < run.bytes.data() + run.bytes.size() && run.bytes.data() < from + bytes;
  };
  const std::lock_guard lock(monitor_);
  monitor_.wait([&] { return std::none_of(runs_.begin(), runs_.end(), isFrom); });
}

bool LateWriter::writes(uint64_t offset) {
  if (!busy_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(monitor_);
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const Run& run) { return offset >= run.offset && offset < run.offset + run.bytes.size(); });
}

int LateWriter::settle() {
  if (!busy_.load(std::memory_order_acquire)) return failed();
  const std::lock_guard lock(monitor_);
  monitor_.wait([&] { return runs_.empty(); });
  return failed();
}

}  // namespace rx::store
