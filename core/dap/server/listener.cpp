#include "core/dap/server/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "core/dap/server/descriptor.h"
#include "core/dap/server/gate.h"

namespace rx::dap {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeForToken = std::chrono::seconds(10);
/// Who waits at the gate at once; further connections wait in the system's
/// queue.
constexpr size_t kMostWaiting = 64;

Failure failed(const std::string& what) { return fail("dap.socket", what + ": " + std::strerror(errno)); }

/// Somebody who has not given the token yet.
struct Caller {
  Descriptor descriptor;
  Gate gate;
  Clock::time_point until;
};

/// Reads what a caller sent.
Gate::Verdict hear(Caller& caller) {
  char buffer[4096];
  const ssize_t got = ::recv(caller.descriptor.number(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Gate::Verdict::Waiting;
  if (got <= 0) return Gate::Verdict::Closed;
  return caller.gate.feed({buffer, static_cast<size_t>(got)});
}

Accepted chosen(Caller& caller) { return {caller.descriptor.release(), std::string(caller.gate.rest())}; }

/// Opens the door for the first caller with the token.
Result<Accepted> choose(const Descriptor& listener, const std::string& token) {
  std::vector<Caller> callers;
  for (;;) {
    std::vector<pollfd> wanted;
    for (const Caller& caller : callers) wanted.push_back({caller.descriptor.number(), POLLIN, 0});
    if (callers.size() < kMostWaiting) wanted.push_back({listener.number(), POLLIN, 0});
    if (::poll(wanted.data(), wanted.size(), 200) < 0 && errno != EINTR) return failed("cannot wait for a client");
    const size_t known = callers.size();
    for (size_t i = known; i-- > 0;) {
      const Gate::Verdict verdict = wanted[i].revents ? hear(callers[i]) : Gate::Verdict::Waiting;
      if (verdict == Gate::Verdict::Open) return chosen(callers[i]);
      if (verdict == Gate::Verdict::Closed || Clock::now() > callers[i].until)
        callers.erase(callers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (wanted.size() == known || !wanted[known].revents) continue;
    Descriptor next(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (next.number() >= 0) callers.push_back({std::move(next), Gate(token), Clock::now() + kTimeForToken});
  }
}

}  // namespace

Result<LoopbackPort> LoopbackPort::open(uint16_t port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener.number() < 0) return failed("no socket");
  int yes = 1;
  ::setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.number(), raw, size) != 0 || ::listen(listener.number(), 16) != 0 ||
      ::getsockname(listener.number(), raw, &size) != 0)
    return failed("cannot listen on port " + std::to_string(port));
  return LoopbackPort(std::move(listener), ntohs(address.sin_port));
}

Result<Accepted> LoopbackPort::next(const std::string& token) const { return choose(socket_, token); }

Result<int> connectTo(const std::string& address) {
  const size_t colon = address.rfind(':');
  const std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  const std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (int error = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &raw); error != 0)
    return fail("dap.socket", address + ": " + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(raw, ::freeaddrinfo);
  for (const addrinfo* at = found.get(); at; at = at->ai_next) {
    Descriptor socket(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    if (socket.number() >= 0 && ::connect(socket.number(), at->ai_addr, at->ai_addrlen) == 0) return socket.release();
  }
  return failed("cannot connect to " + address);
}

}  // namespace rx::dap
