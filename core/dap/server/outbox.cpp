#include "core/dap/server/outbox.h"

#include <unistd.h>

#include <cerrno>

namespace rx::dap {

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Outbox::Outbox(int descriptor, size_t mostUnread)
    : descriptor_(descriptor), mostUnread_(mostUnread), writer_([this] { work(); }) {}

Outbox::~Outbox() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

void Outbox::push(std::string bytes) {
  {
    std::lock_guard lock(mutex_);
    if (gone_) return;
    if (unread_ > 0 && unread_ + bytes.size() > mostUnread_) {
      gone_ = dropped_ = true;
      waiting_.clear();
      return;
    }
    unread_ += bytes.size();
    waiting_.push_back(std::move(bytes));
  }
  changed_.notify_all();
}

bool Outbox::flush(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return unread_ == 0 || (gone_ && !dropped_); });
}

void Outbox::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const std::string bytes = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool written = writeAll(descriptor_, bytes);
    lock.lock();
    unread_ -= bytes.size();
    if (!written) {
      gone_ = true;
      waiting_.clear();
      unread_ = 0;
    }
    changed_.notify_all();
  }
}

}  // namespace rx::dap
