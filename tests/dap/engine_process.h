// The engine as the window starts it: `rxs dap` as a child process, and a client on its pipes.
#pragma once

#include <QProcess>
#include <QtTest>
#include <deque>

#include "core/dap/client.h"
#include "schema.h"

namespace rx::test {

using dap::Client;
using dap::Event;
using dap::Json;

inline std::string samplePath(const QString& name, const char* file = "") {
  return (QString(RX_SOURCE_DIR "/samples/") + name + "/" + file).toStdString();
}

/// `rxs dap` and a client on its pipes.
class Engine {
 public:
  explicit Engine(const QStringList& arguments = {"dap"})
      : client([this](std::string bytes) { process.write(bytes.data(), qint64(bytes.size())); }) {
    process.start(RX_BINARY_DIR "/bin/rxs", arguments);
    client.onEvent([this](const Event& event) { events.push_back(event); });
    client.setLog([this](const char* direction, const Json& message) {
      for (std::string& line : *direction == '<' ? Schema::published().violations(message) : std::vector<std::string>())
        violations.push_back(std::move(line));
    });
  }
  ~Engine() {
    process.kill();
    process.waitForFinished();
    if (!violations.empty()) QFAIL(violations.front().c_str());
  }

  bool pump(const std::function<bool()>& ready) {
    QElapsedTimer time;
    time.start();
    while (!ready() && time.elapsed() < 60000 && process.state() != QProcess::NotRunning) {
      process.waitForReadyRead(50);
      client.feed(process.readAllStandardOutput().toStdString());
    }
    return ready();
  }
  Result<Json> ask(const std::string& command, Json arguments = {}) {
    std::optional<Result<Json>> answer;
    client.request(command, std::move(arguments), [&](Result<Json> a) { answer = std::move(a); });
    if (!pump([&] { return answer.has_value(); }))
      return fail("test.time", "no answer to " + command + ": " + process.readAllStandardError().toStdString());
    return *answer;
  }
  /// The next `stopped` event's body, null when there is none.
  Json stop() {
    Json body;
    pump([&] {
      while (!events.empty() && body.is_null()) {
        if (events.front().event == "stopped") body = events.front().body;
        events.pop_front();
      }
      return !body.is_null();
    });
    return body;
  }
  Json move(const char* command, Json arguments = {{"threadId", 1}}) {
    auto answer = ask(command, std::move(arguments));
    return answer ? stop() : Json(answer.diagnostics().front().message);
  }
  /// The first thing that goes wrong when a sample is launched, else "".
  std::string launch(const QString& sample, const char* inputs = "inputs.npz", Json more = Json::object()) {
    more["program"] = samplePath(sample, "module.py");
    more["params"] = samplePath(sample, "params.npz");
    more["inputs"] = samplePath(sample, inputs);
    return launchProgram(std::move(more));
  }
  /// The same for launch arguments that name the program; stops at the entry and at the end.
  std::string launchProgram(Json more) {
    more["stopOnEnd"] = true;
    if (!more.contains("stopOnEntry")) more["stopOnEntry"] = true;
    for (auto& [command, arguments] :
         std::vector<std::pair<std::string, Json>>{{"initialize", {}}, {"launch", more}, {"configurationDone", {}}})
      if (auto answer = ask(command, arguments); !answer)
        return answer.diagnostics().front().rule + ": " + answer.diagnostics().front().message;
    return {};
  }

  QProcess process;
  std::deque<Event> events;
  std::vector<std::string> violations;  ///< of the protocol's schema
  Client client;
};

}  // namespace rx::test
