// Server: bytes in, bytes out, and the thread that the debug session lives on. The thread that feeds it never waits for
// the program: a request goes into a queue, `pause` and `disconnect` also raise a flag that the running program sees.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/dap/framing.h"
#include "core/dap/server/adapter.h"

namespace rx::dap {

class Server {
 public:
  /// Called from both threads, one call at a time.
  using Send = std::function<void(std::string bytes)>;
  using Log = std::function<void(const char* direction, const Json&)>;

  Server(Host host, Send send, Log log = {});
  /// Ends the run at the next instruction and waits for the thread.
  ~Server();

  /// Bytes of the client, in any portions.
  void feed(std::string_view bytes);
  /// Tells the client where a running program is (`rxs/progress`), at most some times a second. To be called now and
  /// then by the thread that feeds: the program's own thread is busy, maybe for long in one kernel.
  void tick();
  /// The client is gone: the run is cancelled.
  void closed();
  /// True after `disconnect` was answered, or closed().
  bool done() const { return done_; }
  /// Waits until done; false when the time is over.
  bool waitDone(std::chrono::milliseconds time);

 private:
  void take(const Json& json);
  void work();
  bool poll();
  void answer(Adapter& adapter, const Request& request);
  void respond(const Request& request, const Result<Json>& result);
  void send(Json json);
  void setDone();

  Host host_;
  Send send_;
  Log log_;
  FrameReader reader_;
  CancelToken cancel_;
  std::atomic<bool> pause_{false};
  std::atomic<bool> done_{false};
  std::mutex queueMutex_;
  std::condition_variable changed_;
  std::deque<Request> queue_;
  std::mutex sendMutex_;
  int64_t nextSeq_ = 1;
  debug::Pulse pulse_;
  std::chrono::steady_clock::time_point told_{};
  Adapter* adapter_ = nullptr;  ///< of the worker thread
  std::thread worker_;
};

}  // namespace rx::dap
