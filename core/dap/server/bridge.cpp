#include "core/dap/server/bridge.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "core/dap/server/descriptor.h"
#include "core/dap/server/gate.h"
#include "core/dap/server/listener.h"
#include "core/dap/server/outbox.h"

namespace rx::dap {

namespace {

/// Carries what one side has to the other; false at its end.
bool carry(int from, int to) {
  char buffer[65536];
  const ssize_t got = ::read(from, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  return got > 0 && writeAll(to, {buffer, static_cast<size_t>(got)});
}

}  // namespace

int runBridge(const std::string& address, const std::string& token) {
  std::signal(SIGPIPE, SIG_IGN);
  Result<int> connected = connectTo(address);
  if (!connected) {
    std::fprintf(stderr, "rxs dap: %s\n", connected.diagnostics().front().message.c_str());
    return 1;
  }
  const Descriptor engine(*connected);
  if (!writeAll(engine.number(), gateLine(token))) return 1;
  bool asking = true;
  bool heard = false;
  for (;;) {
    // A negative descriptor is passed over.
    pollfd ready[] = {{asking ? STDIN_FILENO : -1, POLLIN, 0}, {engine.number(), POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) return 1;
    if (ready[1].revents) {
      if (!carry(engine.number(), STDOUT_FILENO)) break;
      heard = true;
    }
    if (ready[0].revents && !carry(STDIN_FILENO, engine.number())) {
      asking = false;
      ::shutdown(engine.number(), SHUT_WR);
    }
  }
  // An engine that says nothing at all did not like the token.
  if (heard || !asking) return 0;
  std::fprintf(stderr, "rxs dap: the engine at %s closed the connection: is the token right?\n", address.c_str());
  return 1;
}

}  // namespace rx::dap
