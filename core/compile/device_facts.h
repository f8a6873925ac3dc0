// What is to be said of the kernels that a device runs: how they are started, what each thread takes, and how many of
// them a unit of the device runs at one time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/device_tools.h"
#include "core/codegen/occupancy.h"
#include "core/device/run/code.h"
#include "core/lower/device_lowering.h"

namespace rx::compile {

struct DeviceKernelFacts {
  std::string symbol;
  /// Groups and threads of each along x, y, z, as numbers or as what is computed when it is started: "(n + 63) // 64".
  std::array<std::string, 3> grid{"1", "1", "1"}, group{"1", "1", "1"};
  std::optional<int64_t> threads;                     ///< of a group, where that is known before
  int64_t sharedBytes = 0;                            ///< of a group
  std::optional<codegen::AssembledKernel> assembled;  ///< where the vendor's assembler is there
  std::optional<codegen::Occupancy> occupancy;        ///< where the architecture's rules are known
};

/// `assembled` may be null.
std::vector<DeviceKernelFacts> deviceFacts(const lower::DeviceForm& form, const std::string& architecture,
                                           const codegen::AssembledText* assembled);

}  // namespace rx::compile
