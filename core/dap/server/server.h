// Server: bytes in, bytes out, and the thread that the debug session lives on.
// The thread that feeds it never waits for the program: a request goes into a
// queue, `pause`, `disconnect` and `terminate` also raise a flag that the
// running program sees. Where the session's thread does not come to an ending
// in time, the feeding thread answers it.
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
  /// Called from both threads, one call at a time; must not wait for the
  /// client.
  using Send = std::function<void(std::string bytes)>;
  using Log = std::function<void(const char* direction, const Json&)>;

  Server(Host host, Send send, Log log = {});
  /// Ends the run at the next instruction and waits for the thread.
  ~Server();

  /// Bytes of the client, in any portions.
  void feed(std::string_view bytes);
  /// Tells the client where a running program is (`rxs/progress`), at most some
  /// times a second, and answers an ending that the program's own thread, busy
  /// maybe for long in one kernel, does not come to. To be called now and then
  /// by the thread that feeds.
  void tick();
  /// Nothing more comes from the client, which may still read: what it asked is
  /// answered, then a run is cancelled and the session done.
  void inputEnded();
  /// True while the program runs.
  bool running() const { return pulse_.running; }
  /// The client is gone: the run is cancelled.
  void closed();
  /// True after `disconnect` was answered, or closed().
  bool done() const { return done_; }
  /// The client that disconnected leaves the engine to another one.
  bool left() const { return done_ && leaves_; }
  /// Waits until done; false when the time is over.
  bool waitDone(std::chrono::milliseconds time);

 private:
  void take(const Json& json);
  /// Says what is no answer to any request.
  void complain(const std::string& text);
  void wishPause();
  void cancelQueued(const Request& request);
  void answerEnding();
  std::optional<Request> nextRequest();
  void work();
  bool poll();
  void answer(Adapter& adapter, const Request& request);
  void respond(const Request& request, const Result<Json>& result);
  void send(Json json);
  void emit(const char* event, Json body);
  void setDone();

  Host host_;
  Send send_;
  Log log_;
  FrameReader reader_;
  CancelToken cancel_;
  std::atomic<bool> asked_{false};  ///< something came that a run has not looked at yet
  std::atomic<bool> pause_{false};
  std::chrono::steady_clock::time_point pauseSince_{};  ///< of the thread that feeds
  std::atomic<bool> done_{false};
  std::atomic<bool> inputEnded_{false};
  std::atomic<bool> leaves_{false};
  std::atomic<bool> terminated_{false};  ///< the end of the run was told
  std::mutex queueMutex_;
  std::condition_variable changed_;
  std::deque<Request> queue_;
  std::optional<std::chrono::steady_clock::time_point> endBy_;  ///< when a queued ending is answered by tick()
  std::mutex sendMutex_;
  int64_t nextSeq_ = 1;
  debug::Pulse pulse_;
  std::chrono::steady_clock::time_point told_{};
  Adapter* adapter_ = nullptr;  ///< of the worker thread
  std::thread worker_;
};

}  // namespace rx::dap
