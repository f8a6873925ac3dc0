#include "core/profile/cpu_samples.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>

namespace rx::profile {

namespace {

constexpr size_t kMost = 1 << 16;
constexpr int kMicroseconds = 1000;

/// Written by the handler, which can be handed nothing.
struct Looks {
  std::atomic<size_t> count = 0;
  uintptr_t addresses[kMost];
};
std::atomic<Looks*> looks = nullptr;

uintptr_t placeIn(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(context.uc_mcontext.pc);
#else
  return 0;
#endif
}

void look(int, siginfo_t*, void* context) {
  Looks* into = looks.load(std::memory_order_acquire);
  if (!into) return;
  const size_t at = into->count.fetch_add(1, std::memory_order_relaxed);
  if (at < kMost) into->addresses[at] = placeIn(*static_cast<const ucontext_t*>(context));
}

/// Nanoseconds that all threads of the process worked so far.
int64_t worked() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The timer, while it lives.
class Timer {
 public:
  explicit Timer(Looks& into) {
    struct sigaction action = {};
    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    looks.store(&into, std::memory_order_release);
    const itimerval every = {{0, kMicroseconds}, {0, kMicroseconds}};
    runs_ = sigaction(SIGPROF, &action, &before_) == 0 && setitimer(ITIMER_PROF, &every, nullptr) == 0;
  }
  ~Timer() {
    const itimerval never = {};
    setitimer(ITIMER_PROF, &never, nullptr);
    looks.store(nullptr, std::memory_order_release);
    // A look that is on its way would end the process under the action that was there before.
    if (before_.sa_handler == SIG_DFL) before_.sa_handler = SIG_IGN;
    sigaction(SIGPROF, &before_, nullptr);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  bool runs() const { return runs_; }

 private:
  struct sigaction before_ = {};
  bool runs_ = false;
};

}  // namespace

Result<CpuSamples> sampleCpu(int64_t milliseconds, const std::function<Result<Unit>()>& work,
                             const CancelToken& cancel) {
  using Clock = std::chrono::steady_clock;
  CpuSamples samples;
  RX_CHECK(work());  // what is made at the first call is not looked at
  const auto into = std::make_unique<Looks>();
  const auto start = Clock::now();
  const int64_t before = worked();
  {
    const Timer timer(*into);
    if (!timer.runs()) return fail("profile.samples", fmt::format("there is no timer: {}", std::strerror(errno)));
    while (Clock::now() - start < std::chrono::milliseconds(milliseconds)) {
      if (cancel.cancelled()) return fail("pass.cancelled", "cancelled");
      RX_CHECK(work());
      ++samples.calls;
    }
  }
  samples.nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  samples.worked = worked() - before;
  samples.addresses.assign(into->addresses, into->addresses + std::min(into->count.load(), kMost));
  return samples;
}

}  // namespace rx::profile
