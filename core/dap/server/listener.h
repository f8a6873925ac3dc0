// Waiting on a loopback port for the one client that knows the token.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/support/result.h"

namespace rx::dap {

/// A connection, and what the client sent behind its token.
struct Accepted {
  int descriptor = -1;
  std::string first;
};

/// Waits on a port of 127.0.0.1, 0 for any; `ready` is told which. Who does not
/// begin with the token is sent away, and the wait goes on; so does one who
/// says nothing for ten seconds.
Result<Accepted> acceptOne(uint16_t port, const std::string& token, const std::function<void(uint16_t)>& ready);

/// A connection to HOST:PORT or PORT (of this machine).
Result<int> connectTo(const std::string& address);

}  // namespace rx::dap
