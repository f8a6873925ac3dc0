// core/launch: launches of kernels of devices in the interpreter, as their grids of groups of threads: who debugs a
// kernel looks at one thread, and at what several do to each other.
//
// A launch: a kernel that is about to run, with its arguments and the sizes of its grid.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/interpret/interpret.h"
#include "core/ir/stmt.h"
#include "core/lower/device_lowering.h"

namespace rx::launch {

class Races;
struct Race;
struct ThreadProgram;

struct Launch {
  std::shared_ptr<const ThreadProgram> program;  ///< of one thread
  std::vector<vm::Value> args;                   ///< memory as tensors of bytes, numbers
  std::array<int64_t, 3> grid{1, 1, 1}, group{1, 1, 1};

  int64_t groups() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threads() const { return group[0] * group[1] * group[2]; }
  /// Which of its groups the one with this number is, x the fastest.
  std::array<int64_t, 3> groupAt(int64_t number) const;
};

/// Runs a function in its form for a device up to the launch with this number: all threads of those before it, whose
/// results it may need. `args` are the function's, which its kernels write. Fails with interpret.launch where there are
/// fewer, else as runPrimFunc.
Result<Launch> launchOf(const lower::DeviceForm& form, std::string_view name, std::span<const vm::Value> args,
                        size_t number, const interpret::Options& options);

/// All groups of a launch, one after the other.
Result<Unit> runLaunch(const Launch& launch, Races* races, const interpret::Options& options);

/// Bytes of the smallest element that a launch accesses, for its Races.
int64_t grainOf(const Launch& launch);
/// Who touches what, at which statements, and what puts them in order.
Diagnostic raceDiagnostic(const Race& race, const Launch& launch);

/// "blockIdx (0, 0, 0), threadIdx (3, 0, 0)".
std::string threadText(const std::array<int64_t, 3>& block, const std::array<int64_t, 3>& thread);

}  // namespace rx::launch
