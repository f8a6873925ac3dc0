// StepTimer: runs single steps of a machine and says how long each took.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/debug/program.h"
#include "core/debug/tick_clock.h"
#include "core/runtime/machine.h"

namespace rx::debug {

/// What a step took.
struct StepTime {
  int64_t nanoseconds = 0;  ///< that it ran
  int64_t compiling = 0;    ///< before that, on machine code of the kernel that it is the first to call
};

/// A step that does nothing, or says where a tensor lies in memory that is there, is over sooner than a clock is read,
/// and takes no time here.
class StepTimer {
 public:
  explicit StepTimer(const Program& program) {
    for (const Instruction& row : program.instructions)
      brief_.push_back(row.allocatesTensor() || row.callee == "vm.builtin.null_value");
  }
  /// Nanoseconds that were spent on compiling kernels so far: what a step spent on it is told apart from what it ran.
  void onCompileTime(std::function<int64_t()> time) { compileTime_ = std::move(time); }

  StepTime step(vm::Machine& machine) {
    if (brief_[machine.pc()]) {
      machine.step();
      return {};
    }
    const int64_t compiled = compileTime_ ? compileTime_() : 0;
    const uint64_t start = clock_.now();
    machine.step();
    const int64_t all = clock_.nanosecondsSince(start);
    // Nobody makes machine code in so little time.
    if (all < kLeastCompiling || !compileTime_) return {all, 0};
    const int64_t compiling = std::min(compileTime_() - compiled, all);
    return {all - compiling, compiling};
  }

 private:
  static constexpr int64_t kLeastCompiling = 10'000;

  std::vector<bool> brief_;  ///< by instruction
  TickClock clock_;
  std::function<int64_t()> compileTime_;
};

}  // namespace rx::debug
