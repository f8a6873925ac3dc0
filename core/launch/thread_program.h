// What one thread of a kernel of a device runs: which thread it is, what it shares with others, where it waits for
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/interpret/program.h"

namespace rx::launch {

/// Whose value a thread of a warp takes: that of a lane of its part of the warp, or of one so far from its own.
struct ExchangeSite {
  enum class From : uint8_t { Lane, Up, Down, Xor } from = From::Lane;
  uint32_t by = 0;    ///< register of the lane or the distance
  uint32_t part = 0;  ///< register of the number of threads of a part
};
/// Which thread of its group a thread is, or which group: "threadIdx.x" in a register that who runs it sets.
struct ThreadAxis {
  std::string tag;
  uint32_t reg = 0;
  std::optional<int64_t> extent = {};  ///< of the axis, where that is known before
};
/// Memory that the threads of a group share, behind a pointer that who runs them sets.
struct SharedMemory {
  Str name;
  uint32_t pointer = 0;
  int64_t bytes = 0;
};

/// Its Wait is for the threads of the group, or (imm 1) of the warp; its Exchange takes a value as exchanges[imm] says.
struct ThreadProgram : interpret::Program {
  std::vector<ExchangeSite> exchanges;
  std::vector<ThreadAxis> axes;
  std::vector<SharedMemory> shared;
};

/// A function in its form for a device, as it is: a kernel as one of its threads runs it, or what the host does around
/// the launches. Fails with interpret.unavailable, or codegen.signature.
Result<ThreadProgram> compileThread(const tir::PrimFuncRef& function, std::string_view name);

}  // namespace rx::launch
