#include "app/rxs/child_work.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace rx::cli {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void runAsChild(int to, pid_t parent, const std::function<Json()>& body,
                             const std::optional<ConfinedOutputs>& confined) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  Json made;
  const auto make = [&] {
    made = body();
    return 0;
  };
  confined ? runConfined(*confined, make) : make();
  const std::string text = made.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) ::_exit(1);
    done += static_cast<size_t>(std::max<ssize_t>(written, 0));
  }
  ::_exit(0);
}

std::string readAll(int from) {
  std::string text;
  char piece[1 << 14];
  for (;;) {
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
    if (got > 0) text.append(piece, static_cast<size_t>(got));
  }
}

Json diedOf(const std::string& why) { return {{"died", why}}; }

}  // namespace

Json workInChild(const std::function<Json()>& body, const std::optional<ConfinedOutputs>& confined) {
  int ends[2];
  if (::pipe(ends) != 0) return diedOf(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    runAsChild(ends[1], parent, body, confined);
  }
  ::close(ends[1]);
  const std::string text = child < 0 ? std::string() : readAll(ends[0]);
  ::close(ends[0]);
  if (child < 0) return diedOf(fmt::format("no process can be made: {}", std::strerror(errno)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return diedOf(fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  Json answer = Json::parse(text, nullptr, false);
  return answer.is_discarded() ? diedOf("it ended without an answer") : answer;
}

}  // namespace rx::cli
