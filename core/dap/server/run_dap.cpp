#include "core/dap/server/run_dap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/dap/server/server.h"

namespace rx::dap {

namespace {

using namespace std::chrono_literals;

/// How long a disconnecting client may wait for a kernel that is still running before the process ends under it.
constexpr auto kPatience = 2s;

int failed(const std::string& what) {
  std::fprintf(stderr, "rxs dap: %s: %s\n", what.c_str(), std::strerror(errno));
  return 1;
}

/// A file descriptor that is closed at the end.
struct Descriptor {
  int number = -1;
  Descriptor() = default;
  explicit Descriptor(int n) : number(n) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the reading side notices that the client is gone
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

/// The one client of a loopback socket, -1 when there is none.
int acceptOne(uint16_t port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (listener.number < 0) return -1;
  int yes = 1;
  ::setsockopt(listener.number, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.number, raw, size) != 0 || ::listen(listener.number, 1) != 0 ||
      ::getsockname(listener.number, raw, &size) != 0)
    return -1;
  std::printf("listening on 127.0.0.1:%u\n", static_cast<unsigned>(ntohs(address.sin_port)));
  std::fflush(stdout);
  int client = -1;
  do {
    client = ::accept4(listener.number, nullptr, nullptr, SOCK_CLOEXEC);
  } while (client < 0 && errno == EINTR);
  return client;
}

/// Feeds the server until the client goes away or disconnects.
void serve(Server& server, int input) {
  char buffer[65536];
  while (!server.done()) {
    pollfd ready{input, POLLIN, 0};
    // The time-out serves to see that a disconnect was answered, and to tell of a run that goes on.
    int events = ::poll(&ready, 1, 50);
    if (events < 0 && errno != EINTR) return;
    server.tick();
    if (events <= 0) continue;
    ssize_t got = ::read(input, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    server.feed({buffer, static_cast<size_t>(got)});
  }
}

}  // namespace

int runDap(DapOptions options) {
  std::signal(SIGPIPE, SIG_IGN);
  Descriptor logFile;
  if (!options.log.empty()) {
    logFile.number = ::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (logFile.number < 0) return failed("cannot write the log " + options.log);
  }
  Descriptor input, output;
  if (options.listen) {
    input.number = acceptOne(*options.listen);
    if (input.number < 0) return failed("cannot listen on port " + std::to_string(*options.listen));
    output.number = ::fcntl(input.number, F_DUPFD_CLOEXEC, 0);
  } else {
    input.number = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    output.number = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (input.number < 0 || output.number < 0) return failed("standard input or output is closed");
    // A kernel or library that prints must not end up inside of the protocol.
    std::fflush(stdout);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  Server::Log log;
  if (logFile.number >= 0)
    log = [&](const char* direction, const Json& json) {
      writeAll(logFile.number, std::string(direction) + " " + dumpJson(json) + "\n");
    };
  auto send = [&](std::string bytes) { writeAll(output.number, bytes); };
  auto server = std::make_unique<Server>(std::move(options.host), send, log);
  serve(*server, input.number);
  server->closed();
  // A kernel can not be interrupted: if it does not return in time, the process goes without it.
  std::atomic<bool> ended{false};
  std::thread watchdog([&] {
    for (auto waited = 0ms; waited < kPatience && !ended; waited += 20ms) std::this_thread::sleep_for(20ms);
    if (!ended) ::_exit(0);
  });
  server.reset();
  ended = true;
  watchdog.join();
  return 0;
}

}  // namespace rx::dap
