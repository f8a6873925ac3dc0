// The door of a socket: what a client says before its first message. A page in
// a browser can open a connection and send bytes of its choice behind a request
// line of HTTP, so the first bytes decide.
#pragma once

#include <string>
#include <string_view>

namespace rx::dap {

/// Opens for `Rxs-Token: TOKEN`, CR and LF; what follows is the protocol.
class Gate {
 public:
  enum class Verdict { Waiting, Open, Closed };

  explicit Gate(std::string_view token);
  /// Bytes of the client, in any portions. The first byte that is another one
  /// than expected closes it for good; the token is looked at once it is there
  /// as a whole.
  Verdict feed(std::string_view bytes);
  /// Of an open gate: what the client sent behind the line.
  std::string_view rest() const;

 private:
  std::string line_;
  std::string got_;
};

/// The line that opens a gate.
std::string gateLine(std::string_view token);

/// A token that nobody guesses: 32 hexadecimal digits of the system's
/// randomness; empty where it has none.
std::string randomToken();

}  // namespace rx::dap
