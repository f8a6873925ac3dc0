#include "app/rxs/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"

namespace rx::cli {

void holdStandardDescriptors() {
  for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; ++standard) {
    if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is given.
    (void)::open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

namespace {

/// Whether standard output takes what `write` writes; the first time that it does not is said.
bool take(const std::function<void()>& write) {
  if (std::ferror(stdout)) return false;
  errno = 0;
  write();
  if (!std::ferror(stdout)) return true;
  const std::string why = errno != 0 ? fmt::format(": {}", std::strerror(errno)) : std::string();
  report({errorAt({}, "file.write", "standard output can not be written" + why)}, {});
  return false;
}

}  // namespace

void say(std::string_view text) {
  take([&] { std::fwrite(text.data(), 1, text.size(), stdout); });
}

void tell(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void sayWhenOutOfMemory() {
  std::set_new_handler([] {
    constexpr std::string_view kMessage = "error[tensor.memory]: the system has no memory left\n";
    (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(kNo);
  });
}

int finishOutput(int code) {
  const bool taken = take([] { std::fflush(stdout); });
  return taken || code != kYes ? code : kNo;
}

}  // namespace rx::cli
