#include "core/dap/server/server.h"

namespace rx::dap {

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

void Server::respond(const Request& request, const Result<Json>& result) {
  Response response{0, request.seq, result.ok(), request.command, {}, {}};
  if (result) {
    response.body = *result;
  } else {
    response.message = result.diagnostics().front().rule;
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
      // There is no request to answer, so the client is told beside the conversation.
      send(
          toJson(Event{0, "output", {{"category", "stderr"}, {"output", json->diagnostics().front().message + "\n"}}}));
    }
  }
}

void Server::take(const Json& json) {
  if (log_) {
    std::lock_guard lock(sendMutex_);
    log_("->", json);
  }
  Result<Message> message = messageFromJson(json);
  const auto* request = message ? std::get_if<Request>(&*message) : nullptr;
  if (!request) {
    // A message that is broken but has a number gets its answer under that number.
    Request broken;
    if (json.is_object()) {
      if (auto seq = json.find("seq"); seq != json.end() && seq->is_number_integer()) broken.seq = seq->get<int64_t>();
      if (auto name = json.find("command"); name != json.end() && name->is_string())
        broken.command = name->get<std::string>();
    }
    return respond(broken, message ? fail("dap.unexpected", "only requests are understood") : message.failure());
  }
  if (request->command == "pause") pause_ = true;
  if (request->command == "disconnect" || request->command == "terminate") cancel_.cancel();
  {
    std::lock_guard lock(queueMutex_);
    queue_.push_back(*request);
  }
  changed_.notify_all();
}

void Server::tick() {
  using namespace std::chrono_literals;
  constexpr auto kBetween = 100ms;
  const auto now = std::chrono::steady_clock::now();
  if (!pulse_.running || now - told_ < kBetween) return;
  told_ = now;
  send(toJson(Event{0, ProgressInfo::kEvent, encode(ProgressInfo{pulse_.steps, pulse_.instruction})}));
}

void Server::closed() {
  cancel_.cancel();
  setDone();
}

void Server::setDone() {
  {
    std::lock_guard lock(queueMutex_);
    done_ = true;
  }
  changed_.notify_all();
}

bool Server::waitDone(std::chrono::milliseconds time) {
  std::unique_lock lock(queueMutex_);
  return changed_.wait_for(lock, time, [this] { return done_.load(); });
}

void Server::answer(Adapter& adapter, const Request& request) {
  respond(request, adapter.handle(request));
  if (adapter.done()) setDone();
}

bool Server::poll() {
  for (;;) {
    Request request;
    {
      std::lock_guard lock(queueMutex_);
      if (queue_.empty()) break;
      request = std::move(queue_.front());
      queue_.pop_front();
    }
    answer(*adapter_, request);
  }
  return pause_.exchange(false) || done_;
}

void Server::work() {
  auto emit = [this](const char* event, Json body) { send(toJson(Event{0, event, std::move(body)})); };
  Adapter adapter(std::move(host_), emit, [this] { return poll(); }, cancel_, &pulse_);
  adapter_ = &adapter;
  while (!done_) {
    Request request;
    {
      std::unique_lock lock(queueMutex_);
      changed_.wait(lock, [this] { return done_ || !queue_.empty(); });
      if (queue_.empty()) break;
      request = std::move(queue_.front());
      queue_.pop_front();
    }
    // A wish to pause that came while nothing ran is granted by standing still.
    if (request.command == "pause") pause_ = false;
    answer(adapter, request);
    adapter.finish();
  }
}

}  // namespace rx::dap
