#include "core/dap/server/server.h"

#include <algorithm>

namespace rx::dap {

namespace {

using Clock = std::chrono::steady_clock;

/// How long an ending waits for the thread of the session.
constexpr auto kEndPatience = std::chrono::milliseconds(300);

/// How long a wish to pause has to wait before a second one ends the kernel that keeps it waiting.
constexpr auto kPausePatience = std::chrono::milliseconds(300);

/// Rules that DAP has a word for.
constexpr std::pair<std::string_view, const char*> kShortMessages[] = {{"dap.cancelled", "cancelled"},
                                                                       {"dap.running", "notStopped"}};

std::string shortMessage(const std::string& rule) {
  for (const auto& [ours, word] : kShortMessages)
    if (rule == ours) return word;
  return rule;
}

bool starts(const Request& request) {
  return request.command == "launch" || request.command == "attach" || request.command == "restart";
}
bool ends(const Request& request) { return request.command == "disconnect" || request.command == "terminate"; }

}  // namespace

Server::Server(Host host, Send send, Log log)
    : host_(std::move(host)), send_(std::move(send)), log_(std::move(log)), worker_([this] { work(); }) {}

Server::~Server() {
  closed();
  worker_.join();
}

void Server::send(Json json) {
  std::lock_guard lock(sendMutex_);
  json["seq"] = nextSeq_++;
  if (log_) log_("<-", json);
  send_(frame(json));
}

void Server::emit(const char* event, Json body) {
  // A run ends once, whoever comes to tell it first.
  if (std::string_view(event) == "terminated" && terminated_.exchange(true)) return;
  send(toJson(Event{0, event, std::move(body)}));
}

void Server::respond(const Request& request, const Result<Json>& result) {
  Response response{0, request.seq, result.ok(), request.command, {}, {}};
  if (result) {
    response.body = *result;
  } else {
    response.message = shortMessage(result.diagnostics().front().rule);
    response.body = errorBody(result.diagnostics());
  }
  send(toJson(response));
}

void Server::feed(std::string_view bytes) {
  reader_.feed(bytes);
  while (std::optional<Result<Json>> json = reader_.next()) {
    if (*json) {
      take(**json);
    } else {
      complain(json->diagnostics().front().message);
    }
  }
}

void Server::complain(const std::string& text) { emit("output", {{"category", "stderr"}, {"output", text + "\n"}}); }

void Server::take(const Json& json) {
  if (log_) {
    std::lock_guard lock(sendMutex_);
    log_("->", json);
  }
  Result<Message> message = messageFromJson(json);
  const auto* request = message ? std::get_if<Request>(&*message) : nullptr;
  if (!request) {
    // A message that is broken but has a number gets its answer under that
    // number.
    Request broken;
    if (json.is_object()) {
      if (auto seq = json.find("seq"); seq != json.end() && seq->is_number_integer()) broken.seq = seq->get<int64_t>();
      if (auto name = json.find("command"); name != json.end() && name->is_string())
        broken.command = name->get<std::string>();
    }
    // One without has none, and is told of beside the conversation.
    if (broken.seq < 1) return complain("a message without a number");
    return respond(broken, message ? fail("dap.unexpected", "only requests are understood") : message.failure());
  }
  if (request->command == "cancel") return cancelQueued(*request);
  if (request->command == "pause") wishPause();
  if (request->command == Disconnect::kCommand) {
    const auto how = decode<DisconnectArguments>(request->arguments, "arguments");
    leaves_ = how && how->leaves();
  }
  {
    std::lock_guard lock(queueMutex_);
    queue_.push_back(*request);
    if (ends(*request)) {
      cancel_.cancel();
      pulse_.stop = true;
      if (!endBy_) endBy_ = Clock::now() + kEndPatience;
    }
  }
  asked_ = true;
  changed_.notify_all();
}

void Server::wishPause() {
  const auto now = Clock::now();
  // Who asks again after a while, which a run sees between two instructions, gives up the kernel that is under way.
  if (pause_.exchange(true)) {
    if (pulse_.running && now - pauseSince_ > kPausePatience) pulse_.stop = true;
  } else {
    pauseSince_ = now;
  }
}

void Server::cancelQueued(const Request& request) {
  const Result<CancelArguments> wanted = decode<CancelArguments>(request.arguments, "arguments");
  if (!wanted) return respond(request, wanted.failure());
  std::optional<Request> found;
  {
    std::lock_guard lock(queueMutex_);
    const auto at = std::find_if(queue_.begin(), queue_.end(),
                                 [&](const Request& r) { return wanted->requestId && r.seq == *wanted->requestId; });
    if (at != queue_.end()) {
      found = std::move(*at);
      queue_.erase(at);
    }
  }
  // What is being answered already, or was, stays as it is: to cancel is a
  // wish.
  if (found) respond(*found, fail("dap.cancelled", "the client cancelled the request"));
  respond(request, Json::object());
}

void Server::answerEnding() {
  std::deque<Request> left;
  {
    std::lock_guard lock(queueMutex_);
    if (!endBy_ || Clock::now() < *endBy_) return;
    endBy_.reset();
    // Without one in the queue, the session's thread has taken it up.
    const auto at = std::find_if(queue_.begin(), queue_.end(), ends);
    if (at == queue_.end()) return;
    left.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(at + 1));
    queue_.erase(queue_.begin(), at + 1);
  }
  const Request ending = std::move(left.back());
  left.pop_back();
  for (const Request& request : left) respond(request, fail("dap.cancelled", "the session ends"));
  respond(ending, Json::object());
  if (pulse_.running) emit("terminated", Json::object());
  if (ending.command == "disconnect") setDone();
}

void Server::tick() {
  using namespace std::chrono_literals;
  constexpr auto kBetween = 100ms;
  answerEnding();
  const auto now = Clock::now();
  if (!pulse_.running || now - told_ < kBetween) return;
  told_ = now;
  emit(ProgressInfo::kEvent, encode(ProgressInfo{pulse_.steps, pulse_.instruction}));
}

void Server::inputEnded() {
  {
    std::lock_guard lock(queueMutex_);
    inputEnded_ = true;
  }
  asked_ = true;
  changed_.notify_all();
}

void Server::closed() {
  cancel_.cancel();
  pulse_.stop = true;
  setDone();
}

void Server::setDone() {
  {
    std::lock_guard lock(queueMutex_);
    done_ = true;
  }
  asked_ = true;
  changed_.notify_all();
}

bool Server::waitDone(std::chrono::milliseconds time) {
  std::unique_lock lock(queueMutex_);
  return changed_.wait_for(lock, time, [this] { return done_.load(); });
}

void Server::answer(Adapter& adapter, const Request& request) {
  const Result<Json> result = adapter.handle(request);
  if (result && starts(request)) terminated_ = false;
  respond(request, result);
  if (adapter.done()) setDone();
}

std::optional<Request> Server::nextRequest() {
  std::lock_guard lock(queueMutex_);
  if (queue_.empty()) return {};
  Request request = std::move(queue_.front());
  queue_.pop_front();
  return request;
}

bool Server::poll() {
  if (!asked_ || !asked_.exchange(false)) return false;
  while (std::optional<Request> request = nextRequest()) answer(*adapter_, *request);
  if (inputEnded_) cancel_.cancel();
  return pause_.exchange(false) || done_ || cancel_.cancelled();
}

void Server::work() {
  auto tell = [this](const char* event, Json body) { emit(event, std::move(body)); };
  Adapter adapter(
      std::move(host_), tell, [this] { return poll(); }, cancel_, &pulse_);
  adapter_ = &adapter;
  while (!done_) {
    {
      std::unique_lock lock(queueMutex_);
      changed_.wait(lock, [this] { return done_ || inputEnded_ || !queue_.empty(); });
    }
    std::optional<Request> request = nextRequest();
    // The end of the input stands for a `disconnect` that nobody waits to see
    // answered.
    if (!request && inputEnded_) {
      (void)adapter.handle({0, "disconnect", {}});
      adapter.finish();
      return setDone();
    }
    if (!request) continue;
    // A wish to pause that came while nothing ran is granted by standing still.
    if (request->command == "pause") pause_ = false;
    answer(adapter, *request);
    adapter.finish();
  }
}

}  // namespace rx::dap
