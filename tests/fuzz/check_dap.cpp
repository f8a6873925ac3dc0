#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include "../dap/small_host.h"
#include "checks.h"
#include "core/dap/server/server.h"

namespace rx::fuzz {

namespace {

using dap::Json;

/// The bytes below the messages, in portions.
std::string checkFrames(std::string_view bytes) {
  dap::FrameReader reader;
  for (size_t at = 0, portion = 1; at < bytes.size(); at += portion, portion = portion % 97 + 1) {
    reader.feed(bytes.substr(at, portion));
    while (auto frame = reader.next()) {
      if (!*frame && !frame->diagnostics()[0].rule.starts_with("dap.")) return "a frame is refused by another rule";
    }
  }
  return {};
}

/// A client may name files, which are none of ours here.
void withoutPaths(Json& json) {
  if (json.is_string() && json.get_ref<const std::string&>().find('/') != std::string::npos) json = "/nowhere/file";
  if (!json.is_structured()) return;
  for (auto& item : json.items()) {
    const bool path = item.key() == "path" || item.key() == "trace" || item.key() == "file";
    if (path && item.value().is_string()) {
      item.value() = "/nowhere/file";
    } else {
      withoutPaths(item.value());
    }
  }
}

/// What the server says, counted.
struct Conversation {
  std::mutex mutex;
  dap::FrameReader reader;
  std::map<int64_t, int> answers;  ///< by the number of the request
  int64_t last = 0;
  std::string wrong;

  void take(const std::string& bytes) {
    std::lock_guard lock(mutex);
    reader.feed(bytes);
    while (auto frame = reader.next()) {
      if (!*frame) return void(wrong = "the server sends what is no frame");
      const Json& message = **frame;
      if (message.value("seq", int64_t{-1}) != ++last) wrong = "messages are not numbered one after another";
      const std::string type = message.value("type", "");
      if (type == "response") ++answers[message.value("request_seq", int64_t{-1})];
      if (type != "response" && type != "event") wrong = "a message is neither a response nor an event: " + type;
    }
  }
};

std::string checkSession(std::string_view text) {
  constexpr size_t kMostLines = 40;
  Conversation conversation;
  dap::Server server(test::smallHost(), [&](const std::string& bytes) { conversation.take(bytes); });
  std::map<int64_t, int> asked;
  for (size_t at = 0, lines = 0; at < text.size() && lines < kMostLines; ++lines) {
    const size_t end = std::min(text.find('\n', at), text.size());
    Json request = Json::parse(text.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (request.is_discarded()) continue;
    withoutPaths(request);
    const bool numbered = request.is_object() && request.contains("seq") && request["seq"].is_number_integer();
    ++asked[numbered ? request["seq"].get<int64_t>() : 0];
    server.feed(dap::frame(request));
  }
  server.feed(dap::frame(Json{{"seq", 1 << 20}, {"type", "request"}, {"command", "disconnect"}}));
  if (!server.waitDone(std::chrono::seconds(5))) return "a session does not end within 5 s of its disconnect";
  std::lock_guard lock(conversation.mutex);
  for (const auto& [number, count] : conversation.answers) {
    if (number != 1 << 20 && count > asked[number]) return "a request has more than one answer";
  }
  return conversation.wrong;
}

}  // namespace

std::string checkDap(std::string_view text) { return text.starts_with('{') ? checkSession(text) : checkFrames(text); }

}  // namespace rx::fuzz
