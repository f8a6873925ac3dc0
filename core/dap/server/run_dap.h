// What `rxs dap` does: serves one client over standard input and output, or
// over a loopback socket one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dap/server/host.h"

namespace rx::dap {

struct DapOptions {
  /// Port of the loopback interface to wait on for a client, and for the next
  /// one where it leaves the engine to that; 0 lets the system choose, and the choice is printed
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

/// Serves until the client disconnects (and, of a socket, does not say that it
/// will be back or that the program goes on), goes away, or reads nothing for too
/// long. Returns the exit code: 0, or 1 with a reason on standard error.
/// Standard output belongs to the protocol: what else the process prints there
/// goes to standard error.
int runDap(DapOptions options);

}  // namespace rx::dap
