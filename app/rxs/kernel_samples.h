// rxs kernel --samples: which lines of a kernel's machine code the processor is in while it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compile/kernel_stages.h"

namespace rx::cli {

struct KernelSamples {
  size_t taken = 0;
  size_t elsewhere = 0;           ///< of them, in other code: the runtime, the C library
  int64_t calls = 0;              ///< of the kernel
  int64_t nanoseconds = 0;        ///< that these took
  std::vector<uint32_t> ofLines;  ///< of the assembly, the first at 0
};

/// Runs the kernel for so many milliseconds, on tensors of zeros. Fails with kernel.samples where sizes or values are
/// not told by its signature, or where its code does not run here; else with what the run or the timer fails with.
Result<KernelSamples> sampleKernel(const compile::Program& program, const compile::KernelStages& kernel,
                                   int64_t milliseconds, const compile::Control& control);

/// Of the samples in lines: by line of a stage, of what the lines that it became have, in percent. A line of machine
/// code that several came from counts for each.
std::vector<double> sharesOf(const KernelSamples& samples, const compile::KernelStages& kernel,
                             const compile::KernelStage& stage);

}  // namespace rx::cli
