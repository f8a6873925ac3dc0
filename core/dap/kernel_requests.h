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
  int64_t knows = 0;     ///< the source whose text the client has
};
RX_DAP_TYPE(KernelThreadsArguments, threadId, knows)
struct KernelThreadsBody {
  std::string kernel;
  int64_t source = 0;           ///< sourceReference of the kernel's text, as its frames name it; another at each entry
  std::string text;             ///< "" where the client knows it
  int64_t launch = 0;           ///< of the kernels that the function starts, the number of this one
  std::vector<int64_t> group;   ///< which of its groups the threads are of: x, y, z
  std::vector<int64_t> groups;  ///< how many there are along each axis
  std::vector<KernelThreadInfo> threads;
  std::vector<KernelValueInfo> values;
  std::vector<std::string> races;  ///< that were found since it was entered, a sentence each
};
RX_DAP_TYPE(KernelThreadsBody, kernel, source, text, launch, group, groups, threads, values, races)
/// The threads of the kernel that was stepped into, and what one of them sees.
struct KernelThreads : RequestOf<"rxs/kernelThreads", KernelThreadsArguments, KernelThreadsBody> {};

struct ChooseGroupArguments {
  int64_t launch = 0;
  std::vector<int64_t> group;  ///< x, y, z; what is missing is 0
};
RX_DAP_TYPE(ChooseGroupArguments, launch, group)
/// Another group of the kernel that was stepped into, or of another one that its function starts, from its beginning
/// on. Answered at once; `stopped` comes when the launches before it have run, with a description where there is none
/// such, and then nothing has moved.
struct ChooseGroup : RequestOf<"rxs/chooseGroup", ChooseGroupArguments, Nothing> {};

}  // namespace rx::dap
