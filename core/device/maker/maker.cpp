#include "core/device/maker/maker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/device/maker/channel.h"
#include "core/support/bytes.h"
#include "core/support/cache_folder.h"
#include "core/support/confine.h"
#include "core/support/temporary_folder.h"

namespace rx::device {

namespace {

/// The environment's word for the descriptor that leads to the process that makes programs.
constexpr const char* kChannel = "RXS_PROGRAM_MAKER";

struct Asked {
  std::string kind;
  int64_t number = 0;
  bool keeps = false;
  std::string text;
  std::vector<std::string> kernels;
  static void parts(auto& io, auto& self) { io(self.kind, self.number, self.keeps, self.text, self.kernels); }
};

/// An image, or what is wrong: without places, since a driver's compiler knows none of ours.
struct Answer {
  struct Wrong {
    std::string rule, message, fix;
    static void parts(auto& io, auto& self) { io(self.rule, self.message, self.fix); }
  };
  std::string image;
  std::vector<Wrong> wrong;
  static void parts(auto& io, auto& self) { io(self.image, self.wrong); }
};

Failure noMaker(std::string_view why) {
  Diagnostic gone = errorAt({}, "device.maker",
                            fmt::format("the process that makes programs of devices for this confined one {}", why));
  gone.fix = "start the run again; one that is not confined has the driver compile in the process itself";
  return fail(std::move(gone));
}

template <class T>
std::string bytesOf(const T& record) {
  ByteWriter out;
  out(record);
  return out.take();
}

template <class T>
std::optional<T> read(const std::optional<std::string>& bytes) {
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  T record;
  in(record);
  if (in.failed() || !in.rest().empty()) return std::nullopt;
  return record;
}

Result<std::string> imageFor(const Asked& asked, const std::shared_ptr<const KeptFiles>& kept) {
  RX_TRY(device, openDevice(asked.kind, asked.number));
  return imageOf(*device, asked.text, asked.kernels, asked.keeps ? kept.get() : nullptr);
}

Answer answerTo(const Asked& asked, const std::shared_ptr<const KeptFiles>& kept) {
  Answer answer;
  auto image = imageFor(asked, kept);
  if (image) answer.image = std::move(*image);
  for (const Diagnostic& each : image.diagnostics()) answer.wrong.push_back({each.rule, each.message, each.fix});
  return answer;
}

/// Answers until the other end is gone. Nothing is set up before it is asked: most runs need no device.
void serve(int channel) {
  pollfd waits{channel, POLLIN, 0};
  while (::poll(&waits, 1, -1) < 0 && errno == EINTR) {
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::make("rxs-maker");
  if (!folder) return;
  const auto kept = keptPrograms();
  ::setenv("TMPDIR", folder->path().c_str(), 1);
  tellDrivers(folder->path(), true);
  Confinement confinement{driverFiles(), false, true};
  confinement.writable.push_back(folder->path());
  if (kept) confinement.writable.push_back(cacheFolder("devices"));
  // Where the system has none, who asks has said so.
  static_cast<void>(confine(confinement));
  while (const auto asked = read<Asked>(receiveMessage(channel)))
    if (!sendMessage(channel, bytesOf(answerTo(*asked, kept)))) return;
}

[[noreturn]] void runMaker(int channel, pid_t parent) {
  constexpr int kAlone = 3;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  // Nobody waits for an end of what belongs to the other process.
  const int none = ::open("/dev/null", O_RDWR);
  ::dup2(none, STDIN_FILENO);
  ::dup2(none, STDOUT_FILENO);
  if (channel != kAlone) ::dup2(channel, kAlone);
  ::fcntl(kAlone, F_SETFD, FD_CLOEXEC);
  ::syscall(__NR_close_range, kAlone + 1, UINT_MAX, 0);
  serve(kAlone);
  ::_exit(0);
}

/// The end that this process has; -1 where it was given none.
int channelHere() {
  const char* said = std::getenv(kChannel);
  int channel = -1;
  struct stat info = {};
  if (!said || std::from_chars(said, said + std::strlen(said), channel).ec != std::errc()) return -1;
  return ::fstat(channel, &info) == 0 && S_ISSOCK(info.st_mode) ? channel : -1;
}

}  // namespace

Result<Unit> startProgramMaker() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return noMaker(fmt::format("can not be reached: {}", std::strerror(errno)));
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) runMaker(ends[1], parent);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return noMaker(fmt::format("can not be started: {}", std::strerror(errno)));
  }
  ::setenv(kChannel, fmt::format("{}", ends[0]).c_str(), 1);
  return Unit{};
}

ProgramSources programSources(bool keeps) {
  ProgramSources sources{keeps ? keptPrograms() : nullptr, {}};
  const int channel = channelHere();
  if (channel < 0) return sources;
  sources.maker = [channel, keeps](const Properties& device, const std::string& text,
                                   const std::vector<std::string>& kernels) -> Result<std::string> {
    // Programs are made on several threads, and there is one channel.
    static std::mutex one;
    const std::lock_guard lock(one);
    const Asked asked{device.kind, device.number, keeps, text, kernels};
    auto answer = sendMessage(channel, bytesOf(asked)) ? read<Answer>(receiveMessage(channel)) : std::nullopt;
    if (!answer) return noMaker("has ended, or does not answer");
    if (answer->wrong.empty()) return std::move(answer->image);
    std::vector<Diagnostic> why;
    for (Answer::Wrong& each : answer->wrong) {
      why.push_back(errorAt({}, std::move(each.rule), std::move(each.message)));
      why.back().fix = std::move(each.fix);
    }
    return fail(std::move(why));
  };
  return sources;
}

}  // namespace rx::device
