// rxs kernel --samples: which lines of a kernel's machine code the processor is in while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/rxs/kernel_call.h"
#include "core/compile/kernel_stages.h"

namespace rx::cli {

struct KernelSamples {
  size_t taken = 0;
  size_t elsewhere = 0;           ///< of them, in other code: the runtime, the C library
  int64_t calls = 0;              ///< of the kernel
  int64_t nanoseconds = 0;        ///< that these took
  std::vector<uint32_t> ofLines;  ///< of the assembly, the first at 0
  double cycles = 0;              ///< of a call, of all threads together
  int64_t bytes = 0;              ///< of its tensors
  int64_t firstCache = 0;         ///< bytes of the cache next to the processor; 0: not known
  std::vector<double> turns;      ///< of each loop of the machine code in a call; 0: not known

  size_t inLines(uint32_t first, uint32_t last) const;
};

/// Runs the kernel for so many milliseconds, on tensors of zeros, and once in code that counts the turns of loops.
/// Fails with kernel.samples where sizes or values are told neither by its signature nor by `sizes`, or where its code
/// does not run here; else with what the run or the timer fails with.
Result<KernelSamples> sampleKernel(const compile::Program& program, const compile::KernelStages& kernel,
                                   const SizesByName& sizes, int64_t milliseconds, const compile::Control& control);

/// What a turn of a loop took.
struct MeasuredTurn {
  double cycles = 0;
  /// Where it is more than twice what the ports of the processor explain: that, and what the turn waits for instead.
  std::string waits = {};
};
/// Of a loop of the machine code by its number; nothing where it was looked at too seldom, or its turns are not known.
std::optional<MeasuredTurn> measuredTurn(const KernelSamples& samples, const codegen::MachineCode& code, size_t loop);

/// Of the samples in lines: by line of a stage, of what the lines that it became have, in percent. A line of machine
/// code that several came from counts for each.
std::vector<double> sharesOf(const KernelSamples& samples, const compile::KernelStages& kernel,
                             const compile::KernelStage& stage);

}  // namespace rx::cli
