// A client and a server that talk in one process, over the host of small_host.h; what the server sends is held against
// the schema.
#pragma once

#include <QtTest>
#include <chrono>

#include "core/dap/client.h"
#include "core/dap/server/server.h"
#include "schema.h"
#include "small_host.h"

namespace rx::test {

class EnginePair {
 public:
  EnginePair()
      : client([this](std::string bytes) { server.feed(bytes); }), server(smallHost(), [this](std::string bytes) {
          std::lock_guard lock(mutex_);
          arrived_ += bytes;
          changed_.notify_all();
        }) {
    client.onEvent([this](const dap::Event& event) { events.push_back(event); });
    client.onProblem([this](const std::vector<Diagnostic>& d) { problems.push_back(d.front().rule); });
    client.setLog([this](const char* direction, const dap::Json& message) {
      for (std::string& line : *direction == '<' ? Schema::published().violations(message) : std::vector<std::string>())
        violations.push_back(std::move(line));
    });
  }
  /// Every message of every session that a test holds is one that the protocol knows.
  ~EnginePair() {
    if (!violations.empty()) QFAIL(violations.front().c_str());
  }

  /// Hands what the server sent to the client until `ready` says so; false after ten seconds.
  bool pump(const std::function<bool()>& ready) {
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!ready()) {
      std::string bytes;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, limit, [&] { return !arrived_.empty(); })) return false;
        bytes = std::exchange(arrived_, {});
      }
      client.feed(bytes);
    }
    return true;
  }

  /// The answer to a request; a failure's first diagnostic where it is refused.
  Result<dap::Json> ask(const std::string& command, dap::Json arguments = {}) {
    std::optional<Result<dap::Json>> answer;
    client.request(command, std::move(arguments), [&](Result<dap::Json> a) { answer = std::move(a); });
    if (!pump([&] { return answer.has_value(); })) return fail("test.time", "no answer to " + command);
    return *answer;
  }
  /// The rule of a refusal, "" where the request was granted.
  std::string refusal(const std::string& command, dap::Json arguments = {}) {
    auto answer = ask(command, std::move(arguments));
    return answer ? "" : answer.diagnostics().front().rule;
  }
  /// Waits for an event of a name and takes it and what came before it.
  dap::Json event(const std::string& name) {
    dap::Json body;
    bool found = false;
    pump([&] {
      while (!events.empty() && !found) {
        found = events.front().event == name;
        if (found) body = events.front().body;
        events.pop_front();
      }
      return found;
    });
    return found ? body : dap::Json("no event " + name);
  }
  /// initialize, launch and configurationDone.
  void launch(const std::string& program, dap::Json more = dap::Json::object()) {
    more["program"] = program;
    QVERIFY(ask("initialize").ok());
    QVERIFY(ask("launch", more).ok());
    event("initialized");
    QVERIFY(ask("configurationDone").ok());
  }

  std::deque<dap::Event> events;
  std::vector<std::string> problems;
  std::vector<std::string> violations;  ///< of the protocol's schema

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string arrived_;

 public:
  dap::Client client;
  dap::Server server;
};

}  // namespace rx::test
