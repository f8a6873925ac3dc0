#include "core/dap/server/run_dap.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/dap/server/descriptor.h"
#include "core/dap/server/gate.h"
#include "core/dap/server/listener.h"
#include "core/dap/server/outbox.h"
#include "core/dap/server/server.h"

namespace rx::dap {

namespace {

using namespace std::chrono_literals;

/// How long an ending waits for a kernel that is still running before the
/// process ends under it.
constexpr auto kPatience = 1s;

int failed(const std::string& what) {
  std::fprintf(stderr, "rxs dap: %s\n", what.c_str());
  return 1;
}

/// Whether the other side of a descriptor, which nobody reads here, is gone.
bool gone(short events) { return (events & (POLLERR | POLLHUP | POLLNVAL)) != 0; }

/// Feeds the server until the client goes away or disconnects.
void serve(Server& server, int input, int output, const Outbox& outbox) {
  char buffer[65536];
  std::optional<std::chrono::steady_clock::time_point> stuckSince;
  bool asking = true;
  while (!server.done() && !outbox.gone()) {
    pollfd ready[] = {{asking ? input : -1, POLLIN, 0}, {output, 0, 0}};
    // The time-out serves to see that a disconnect was answered, and to tell of
    // a run that goes on.
    int events = ::poll(ready, 2, 50);
    if (events < 0 && errno != EINTR) return;
    server.tick();
    const auto now = std::chrono::steady_clock::now();
    // Behind the last request a run is cancelled; one that does not see it is
    // in a kernel.
    if (asking || !server.running())
      stuckSince.reset();
    else if (!stuckSince)
      stuckSince = now;
    if (stuckSince && now - *stuckSince > kPatience) return;
    if (events <= 0) continue;
    if (ready[0].revents) {
      const ssize_t got = ::read(input, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      asking = got > 0;
      asking ? server.feed({buffer, static_cast<size_t>(got)}) : server.inputEnded();
    } else if (gone(ready[1].revents)) {
      return;
    }
  }
}

/// Where the messages of a client come from and go to.
struct Line {
  Descriptor input;
  Descriptor output;
  std::string first;  ///< read already
};

/// Where clients come from: one after the other to a port, or the one at standard input and output.
class Clients {
 public:
  static Result<Clients> of(const DapOptions& options) {
    Clients clients;
    if (!options.listen) return clients;
    clients.token_ = options.token.empty() ? randomToken() : options.token;
    if (clients.token_.empty()) return fail("dap.token", "the system has no random numbers for a token");
    RX_TRY(listener, LoopbackPort::open(*options.listen));
    std::printf("listening on 127.0.0.1:%u\n", static_cast<unsigned>(listener.port()));
    if (options.token.empty()) std::printf("token %s\n", clients.token_.c_str());
    std::fflush(stdout);
    clients.listener_ = std::move(listener);
    return clients;
  }
  bool more() const { return listener_.has_value(); }
  Result<Line> next() const;

 private:
  std::optional<LoopbackPort> listener_;
  std::string token_;
};

Result<Line> Clients::next() const {
  Line line;
  if (listener_) {
    RX_TRY(accepted, listener_->next(token_));
    line.input = Descriptor(accepted.descriptor);
    line.output = Descriptor(::fcntl(line.input.number(), F_DUPFD_CLOEXEC, 0));
    line.first = std::move(accepted.first);
  } else {
    line.input = Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    line.output = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  }
  if (line.input.number() < 0 || line.output.number() < 0)
    return fail("dap.closed", "standard input or output is closed");
  return line;
}

/// Ends the session and writes what is left. A kernel can not be interrupted
/// and a client not made to read: if they do not return in time, the process
/// goes without them.
void finish(std::unique_ptr<Server> server, Outbox& outbox) {
  std::atomic<bool> ended{false};
  std::thread watchdog([&] {
    for (auto waited = 0ms; waited < kPatience && !ended; waited += 20ms) std::this_thread::sleep_for(20ms);
    if (!ended) ::_exit(0);
  });
  server->closed();
  server.reset();
  // One that was dropped may hold the writing thread forever.
  if (outbox.dropped()) ::_exit(1);
  (void)outbox.flush(2 * kPatience);
  ended = true;
  watchdog.join();
}

/// From the first message of a client to the last; whether it leaves the engine to another one.
bool serveClient(const Line& line, const Host& host, const Server::Log& log) {
  Outbox outbox(line.output.number());
  auto send = [&](std::string bytes) { outbox.push(std::move(bytes)); };
  auto server = std::make_unique<Server>(host, send, log);
  server->feed(line.first);
  serve(*server, line.input.number(), line.output.number(), outbox);
  if (outbox.dropped()) (void)failed("the client does not read what it is sent");
  const bool left = server->left() && !outbox.gone();
  finish(std::move(server), outbox);
  return left;
}

}  // namespace

int runDap(DapOptions options) {
  std::signal(SIGPIPE, SIG_IGN);
  Descriptor logFile;
  if (!options.log.empty()) {
    logFile = Descriptor(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (logFile.number() < 0) return failed("cannot write the log " + options.log + ": " + std::strerror(errno));
  }
  Server::Log log;
  if (logFile.number() >= 0)
    log = [&](const char* direction, const Json& json) {
      (void)writeAll(logFile.number(), std::string(direction) + " " + dumpJson(json) + "\n");
    };
  const Result<Clients> clients = Clients::of(options);
  if (!clients) return failed(clients.diagnostics().front().message);
  bool another = true;
  while (another) {
    const Result<Line> line = clients->next();
    if (!line) return failed(line.diagnostics().front().message);
    if (!clients->more()) {
      // A kernel or library that prints must not end up inside of the protocol.
      std::fflush(stdout);
      ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    another = serveClient(*line, options.host, log) && clients->more();
  }
  return 0;
}

}  // namespace rx::dap
