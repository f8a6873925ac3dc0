#include "core/dap/client.h"

namespace rx::dap {

int64_t Client::request(std::string command, Json arguments, Answer answer) {
  int64_t seq = nextSeq_++;
  if (!closedBecause_.empty()) {
    if (answer) answer(fail("dap.closed", closedBecause_));
    return seq;
  }
  Json json = toJson(Request{seq, std::move(command), std::move(arguments)});
  if (log_) log_("->", json);
  pending_.emplace(seq, std::move(answer));
  send_(frame(json));
  return seq;
}

void Client::feed(std::string_view bytes) {
  reader_.feed(bytes);
  while (std::optional<Result<Json>> json = reader_.next()) {
    if (*json) {
      take(**json);
    } else if (onProblem_) {
      onProblem_(json->diagnostics());
    }
  }
}

void Client::take(const Json& json) {
  if (log_) log_("<-", json);
  Result<Message> message = messageFromJson(json);
  if (!message) {
    if (onProblem_) onProblem_(message.diagnostics());
  } else if (const auto* event = std::get_if<Event>(&*message)) {
    if (onEvent_) onEvent_(*event);
  } else if (const auto* response = std::get_if<Response>(&*message)) {
    answerTo(*response);
  } else {
    problem("dap.unexpected", "the engine sent a request, which this end does not answer");
  }
}

void Client::answerTo(const Response& response) {
  auto it = pending_.find(response.requestSeq);
  if (it == pending_.end())
    return problem("dap.unexpected",
                   "answer to request " + std::to_string(response.requestSeq) + ", which is not open");
  // Out of the table first: the callback may send the next request.
  Answer answer = std::move(it->second);
  pending_.erase(it);
  if (!answer) return;
  if (response.success) return answer(response.body);
  answer(fail(diagnosticsOf(response)));
}

void Client::problem(std::string rule, std::string message) {
  if (onProblem_) onProblem_({errorAt({}, std::move(rule), std::move(message))});
}

void Client::closed(const std::string& why) {
  closedBecause_ = why.empty() ? "the engine is gone" : why;
  std::map<int64_t, Answer> open = std::move(pending_);
  pending_.clear();
  for (auto& [seq, answer] : open)
    if (answer) answer(fail("dap.closed", closedBecause_));
}

}  // namespace rx::dap
