// Client: the asking end of the protocol, asynchronous and without I/O or threads of its own. The owner writes what
// `send` gives to the engine and feeds what the engine writes; callbacks run inside feed() and closed().
#pragma once

#include <functional>
#include <map>

#include "core/dap/framing.h"
#include "core/dap/rx_requests.h"

namespace rx::dap {

class Client {
 public:
  using Send = std::function<void(std::string bytes)>;
  /// The body of a successful answer, or the diagnostics of a refusal.
  using Answer = std::function<void(Result<Json>)>;
  using OnEvent = std::function<void(const Event&)>;
  using OnProblem = std::function<void(const std::vector<Diagnostic>&)>;
  /// Each message that travels, with "->" (to the engine) or "<-".
  using Log = std::function<void(const char* direction, const Json&)>;

  explicit Client(Send send) : send_(std::move(send)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void onEvent(OnEvent handler) { onEvent_ = std::move(handler); }
  /// Called for bytes that are not the protocol and for answers nobody asked for (`dap.unexpected`).
  void onProblem(OnProblem handler) { onProblem_ = std::move(handler); }
  void setLog(Log log) { log_ = std::move(log); }

  /// Sends a request; `answer` is called exactly once, at the latest by closed(). Returns its number.
  int64_t request(std::string command, Json arguments, Answer answer = {});

  /// The same, typed by a tag of requests.h or rx_requests.h.
  template <class R>
  int64_t call(const typename R::Arguments& arguments, std::function<void(Result<typename R::Body>)> answer = {}) {
    return request(R::kCommand, encode(arguments), [answer = std::move(answer)](Result<Json> body) {
      if (!answer) return;
      if (!body) return answer(body.failure());
      answer(decode<typename R::Body>(*body, R::kCommand));
    });
  }

  /// Bytes that the engine wrote, in any portions.
  void feed(std::string_view bytes);
  /// The engine is gone: every open request fails with `dap.closed`, later ones too.
  void closed(const std::string& why);

  /// Requests without an answer yet.
  size_t pending() const { return pending_.size(); }

 private:
  void take(const Json& json);
  void answerTo(const Response& response);
  void problem(std::string rule, std::string message);

  Send send_;
  OnEvent onEvent_;
  OnProblem onProblem_;
  Log log_;
  FrameReader reader_;
  int64_t nextSeq_ = 1;
  std::map<int64_t, Answer> pending_;
  std::string closedBecause_;
};

}  // namespace rx::dap
