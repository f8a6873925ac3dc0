// Where the processor is, looked at again and again while something runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::profile {

struct CpuSamples {
  std::vector<uintptr_t> addresses;  ///< of the instruction that was next, at each look
  int64_t calls = 0;                 ///< of what was run
  int64_t nanoseconds = 0;           ///< that these took
  int64_t worked = 0;                ///< nanoseconds of processor time, of all threads
};

/// Runs `work` again and again for so many milliseconds, and looks after each millisecond of processor time of any
/// thread (as often as the system's clock allows). One at a time in a process. Fails with what `work` fails with, with
/// profile.samples where there is no such timer, or pass.cancelled.
Result<CpuSamples> sampleCpu(int64_t milliseconds, const std::function<Result<Unit>()>& work,
                             const CancelToken& cancel);

}  // namespace rx::profile
