// Outbox: what waits to be written to a client, and the thread that writes it,
// so that nobody who answers a request waits for a client that does not read.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace rx::dap {

class Outbox {
 public:
  /// A client with more bytes than this unread is dropped; one message of any
  /// size is always taken.
  static constexpr size_t kMostUnread = size_t{64} << 20;

  /// The descriptor stays the caller's, and open for as long as the outbox
  /// lives.
  explicit Outbox(int descriptor, size_t mostUnread = kMostUnread);
  /// Ends without what is not written yet; the thread must not be stuck in a
  /// write then: see flush().
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Never waits. After the client was dropped, or went away, bytes go nowhere.
  void push(std::string bytes);
  /// The client went away or was dropped.
  bool gone() const { return gone_; }
  /// It was dropped because it does not read.
  bool dropped() const { return dropped_; }
  /// Waits until all is written; false where that took longer.
  bool flush(std::chrono::milliseconds time);

 private:
  void work();

  const int descriptor_;
  const size_t mostUnread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  size_t unread_ = 0;  ///< bytes waiting or being written
  bool ending_ = false;
  std::atomic<bool> gone_{false};
  std::atomic<bool> dropped_{false};
  std::thread writer_;
};

/// Writes all bytes; false when the other side is gone.
bool writeAll(int descriptor, std::string_view bytes);

}  // namespace rx::dap
