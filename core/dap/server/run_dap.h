// What `rxs dap` does: serves one client over standard input and output, or
// over a loopback socket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dap/server/host.h"

namespace rx::dap {

struct DapOptions {
  /// Port of the loopback interface to wait on for one client; 0 lets the
  /// system choose, and the choice is printed
  /// ("listening on 127.0.0.1:PORT"). Without it the client is at standard
  /// input and output.
  std::optional<uint16_t> listen;
  /// What the client of a socket says first (see gate.h). Empty: a random one,
  /// which is printed ("token TOKEN").
  std::string token;
  /// File that gets every message, one a line; empty = none.
  std::string log;
  Host host;
};

/// Serves until the client disconnects, goes away, or reads nothing for too
/// long. Returns the exit code: 0, or 1 with a reason on standard error.
/// Standard output belongs to the protocol: what else the process prints there
/// goes to standard error.
int runDap(DapOptions options);

}  // namespace rx::dap
