// StepTimer: runs single steps of a machine and says how long each took.
#pragma once

#include <algorithm>
#include <functional>

#include "core/runtime/machine.h"
#include "core/support/clock.h"

namespace rx::debug {

/// What a step took.
struct StepTime {
  int64_t nanoseconds = 0;  ///< that it ran
  int64_t compiling = 0;    ///< before that, on machine code of the kernel that it is the first to call
};

class StepTimer {
 public:
  /// Nanoseconds that were spent on compiling kernels so far: what a step spent on it is told apart from what it ran.
  void onCompileTime(std::function<int64_t()> time) { compileTime_ = std::move(time); }

  StepTime step(vm::Machine& machine) {
    const int64_t compiled = compileTime_ ? compileTime_() : 0;
    const int64_t start = nanosecondsNow();
    machine.step();
    const int64_t all = nanosecondsNow() - start;
    const int64_t compiling = compileTime_ ? std::min(compileTime_() - compiled, all) : 0;
    return {all - compiling, compiling};
  }

 private:
  std::function<int64_t()> compileTime_;
};

}  // namespace rx::debug
