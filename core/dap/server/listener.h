// Waiting on a loopback port for a client that knows the token.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/dap/server/descriptor.h"
#include "core/support/result.h"

namespace rx::dap {

/// A connection, and what the client sent behind its token.
struct Accepted {
  int descriptor = -1;
  std::string first;
};

/// A port of 127.0.0.1 that is waited on. Who calls while a client is served
/// waits until it has left.
class LoopbackPort {
 public:
  /// 0 for any port.
  static Result<LoopbackPort> open(uint16_t port);
  uint16_t port() const { return port_; }
  /// The next client. Who does not begin with the token is sent away, and the
  /// wait goes on; so is one who says nothing for ten seconds.
  Result<Accepted> next(const std::string& token) const;

 private:
  LoopbackPort(Descriptor socket, uint16_t port) : socket_(std::move(socket)), port_(port) {}
  Descriptor socket_;
  uint16_t port_ = 0;
};

/// A connection to HOST:PORT or PORT (of this machine).
Result<int> connectTo(const std::string& address);

}  // namespace rx::dap
