#include "app/rxs/interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/time.h>

#include <cmath>
#include <csignal>

namespace rx::cli {

namespace {

/// Those that are waited for. One that the process was started to ignore stays so.
sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

/// Lets the time pass, once, after which there is a SIGALRM; 0: never.
void setTimer(double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void addTimeLimitOption(CLI::App& command, double& seconds) {
  constexpr double kMost = 1e9;
  command
      .add_option("--time-limit", seconds,
                  "seconds after which the run is cancelled (vm.cancelled, exit code 1), as Ctrl-C does; a call of a "
                  "plugin is waited for, a kernel of a device runs on, and a second Ctrl-C ends the process")
      ->check(CLI::Range(0.0, kMost));
}

Interrupt::Interrupt(double seconds) : seconds_(seconds) {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  setTimer(0);
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGALRM);
  thread_.join();
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::runs(std::function<void()> cancel) {
  const std::lock_guard lock(mutex_);
  setTimer(cancel ? seconds_ : 0);
  cancel_ = std::move(cancel);
}

std::vector<Diagnostic> Interrupt::explained(std::vector<Diagnostic> why) const {
  const std::lock_guard lock(mutex_);
  if (seen_ != 0 && !why.empty() && why.front().rule == "vm.cancelled")
    why.front().notes.push_back(
        {seen_ == SIGALRM ? fmt::format("the time limit is {:g} s", seconds_) : std::string("it was interrupted"), {}});
  return why;
}

/// Cancels what runs; whether the process has to end in its place.
bool Interrupt::ends(int signal) {
  if (!cancel_ || (seen_ != 0 && signal != SIGALRM)) return signal != SIGALRM;
  seen_ = signal;
  cancel_();
  return false;
}

void Interrupt::watch() {
  const sigset_t set = watched();
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    const std::lock_guard lock(mutex_);
    if (done_) return;
    if (!ends(signal)) continue;
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(signal);
  }
}

}  // namespace rx::cli
