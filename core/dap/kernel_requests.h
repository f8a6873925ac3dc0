// Our own requests about the threads of a kernel that a run was stepped into, beside rxs/stepThreads.
#pragma once

#include "core/dap/rx_requests.h"

namespace rx::dap {

/// How the label of a target of stepIn begins whose steps are threads of a kernel; its name follows.
inline constexpr std::string_view kThreadsOf = "threads of ";

struct KernelThreadInfo {
  int64_t id = 0;
  std::string name;   ///< "blockIdx (0, 0, 0), threadIdx (3, 0, 0)"
  std::string state;  ///< "ready", "waits" (at a barrier, for others), "done", "failed"
  int64_t line = 0;   ///< of the kernel's text, one-based
};
RX_DAP_TYPE(KernelThreadInfo, id, name, state, line)
struct KernelValueInfo {
  std::string scope;  ///< "" of a variable; "local", "shared", "global" of memory
  std::string name;
  std::string text;  ///< of memory its first elements
};
RX_DAP_TYPE(KernelValueInfo, scope, name, text)
struct KernelThreadsArguments {
  int64_t threadId = 0;  ///< whose values are asked for
};
RX_DAP_TYPE(KernelThreadsArguments, threadId)
struct KernelThreadsBody {
  std::string kernel;
  std::string text;
  std::vector<KernelThreadInfo> threads;
  std::vector<KernelValueInfo> values;
  std::vector<std::string> races;  ///< that were found since it was entered, a sentence each
};
RX_DAP_TYPE(KernelThreadsBody, kernel, text, threads, values, races)
/// The threads of the kernel that was stepped into, and what one of them sees.
struct KernelThreads : RequestOf<"rxs/kernelThreads", KernelThreadsArguments, KernelThreadsBody> {};

}  // namespace rx::dap
