#include "core/device/maker/channel.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace rx::device {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

/// The calls of a socket that raise no signal are refused to who is confined, so it is taken from the thread.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
};

/// Calls `part(place, bytes)`, which does some of them, until all are done.
template <class Bytes, class Part>
bool whole(Bytes* place, uint64_t bytes, const Part& part) {
  while (bytes > 0) {
    const ssize_t done = part(place, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    place += done;
    bytes -= static_cast<uint64_t>(done);
  }
  return true;
}

}  // namespace

bool sendMessage(int channel, const std::string& bytes) {
  const NoPipeSignal guard;
  const uint64_t size = bytes.size();
  std::string all(reinterpret_cast<const char*>(&size), sizeof size);
  all += bytes;
  return size <= kMostBytes &&
         whole(all.data(), all.size(), [&](const char* at, uint64_t left) { return ::write(channel, at, left); });
}

std::optional<std::string> receiveMessage(int channel) {
  const auto take = [&](char* at, uint64_t left) { return ::read(channel, at, left); };
  uint64_t size = 0;
  if (!whole(reinterpret_cast<char*>(&size), sizeof size, take) || size > kMostBytes) return std::nullopt;
  std::string bytes(size, '\0');
  if (!whole(bytes.data(), size, take)) return std::nullopt;
  return bytes;
}

}  // namespace rx::device
