// A client and a server that talk in one process, and a host that serves the programs of small_program.h.
#pragma once

#include <QtTest>
#include <chrono>

#include "../debug/small_program.h"
#include "core/dap/client.h"
#include "core/dap/server/server.h"

namespace rx::test {

/// f(x) that never ends: copies its argument and jumps back.
inline Ref<vm::Executable> spinExecutable() {
  vm::ExecBuilder b;
  (void)b.beginFunction("main", 1, {"x"});
  b.emitCall("vm.builtin.copy", {Arg::reg(0)}, 1);
  vm::Word jump = b.emitGoto();
  b.patch(jump, 0);
  b.emitRet(1);
  b.endFunction();
  auto executable = b.finish();
  RX_ASSERT(executable.ok(), "{}", executable.diagnostics().front().message);
  return *executable;
}

/// "small", "wrong rank", "spin"; anything else is refused.
inline dap::Host smallHost() {
  dap::Host host;
  host.load = [](const dap::LaunchArguments& arguments,
                 const CancelToken&) -> Result<std::shared_ptr<dap::LoadedProgram>> {
    auto program = std::make_shared<dap::LoadedProgram>();
    if (arguments.program == "small") program->executable = smallExecutable();
    if (arguments.program == "wrong rank") program->executable = smallExecutable(2);
    if (arguments.program == "spin") program->executable = spinExecutable();
    if (!program->executable) return fail("file.read", "there is no program " + arguments.program);
    program->kernels = std::make_shared<SmallKernels>();
    program->stages = {smallStage()};
    program->print = [](const ir::Module&) { return std::string("the text of the stage"); };
    program->functions = {"main"};
    return program;
  };
  host.arguments = [](const dap::LoadedProgram&, const dap::LaunchArguments&,
                      std::vector<dap::ParameterCheck>*) -> Result<std::vector<vm::Value>> {
    return std::vector<vm::Value>{smallInput()};
  };
  return host;
}

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

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string arrived_;

 public:
  dap::Client client;
  dap::Server server;
};

}  // namespace rx::test
