// Ctrl-C, the wish to terminate, and the end of a time limit: while something runs that can be cancelled they cancel
// it, so that it says where it was and leaves whole files. At any other time, and a second time, they end the process.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <mutex>
#include <thread>

#include "core/support/diagnostic.h"

namespace rx::cli {

/// Adds --time-limit.
void addTimeLimitOption(CLI::App& command, double& seconds);

/// One a process, made before other threads are: those take over that they are not asked.
class Interrupt {
 public:
  /// `seconds`: the time limit of what runs, 0 for none.
  explicit Interrupt(double seconds);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// What is to be called, on another thread, from here on where the run is to end; null: it is over.
  void runs(std::function<void()> cancel);
  /// The same for what runs a package.
  std::function<void(std::function<void()>)> listener() {
    return [this](std::function<void()> cancel) { runs(std::move(cancel)); };
  }
  /// Notes on the failure of a run why it was cancelled, where it was by this.
  std::vector<Diagnostic> explained(std::vector<Diagnostic> why) const;

 private:
  void watch();
  bool ends(int signal);

  const double seconds_;
  mutable std::mutex mutex_;
  std::function<void()> cancel_;
  int seen_ = 0;  ///< the signal that cancelled
  bool done_ = false;
  std::thread thread_;
};

/// A run that can be cancelled, as long as this lives.
class Interruptible {
 public:
  Interruptible(Interrupt& interrupt, std::function<void()> cancel) : interrupt_(interrupt) {
    interrupt_.runs(std::move(cancel));
  }
  ~Interruptible() { interrupt_.runs(nullptr); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Interrupt& interrupt_;
};

}  // namespace rx::cli
