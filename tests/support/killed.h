// A process of its own that is killed at a system call of its choice.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace rx::test {

enum class Ending { Finished, Killed, NotTraced };

/// Runs `body` in a process of its own and kills that where it makes its system call number `at`, before the call does
/// anything.
inline Ending killedAt(int at, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(9);
    ::raise(SIGSTOP);
    body();
    ::_exit(0);
  }
  int status = 0, stops = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return Ending::NotTraced;
  // A call stops where it begins and where it ends.
  while (WIFSTOPPED(status)) {
    if (WSTOPSIG(status) == SIGTRAP && ++stops == 2 * at - 1) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return Ending::Killed;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ending::Finished : Ending::NotTraced;
}

}  // namespace rx::test
