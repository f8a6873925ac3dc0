// rxs kernel --threads: threads of a kernel of a device, statement by statement in the interpreter.
#pragma once

#include <string>

#include "app/rxs/reply.h"
#include "core/compile/kernel_stages.h"

namespace rx::cli {

struct ThreadsWanted {
  std::string
      threads;         ///< "blockIdx.x=1,threadIdx.x=3", "blockIdx.x=1,warp=0", "all"; axes that it does not name are 0
  std::string inputs;  ///< file with tensors by the names of the kernel's parameters; else they are generated
  int64_t launch = 0;  ///< which of the kernels that the function starts
  int64_t most = 200;  ///< statements that are told
};

/// Steps the threads, each statement a line with the values that it gave and the elements that it touched, until each
/// is at its end; then what is wrong with the order of their accesses. "all" runs every thread of the launch, and tells
/// only what is wrong. The exit code: 1 where something is.
int stepThreads(const compile::Program& program, const compile::KernelStages& kernel, const ThreadsWanted& wanted,
                Reply& reply);

}  // namespace rx::cli
