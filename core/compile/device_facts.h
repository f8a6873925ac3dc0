// What is to be said of the kernels that a device runs: how they are started, what each thread takes, and how many of
// them a unit of the device runs at one time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/device_tools.h"
#include "core/codegen/occupancy.h"
#include "core/compile/compile.h"
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
  /// Or why there is none: rules that nobody knows, a group of no known size.
  Result<codegen::Occupancy> occupancy = fail("codegen.occupancy", "nobody asked");
};

/// `assembled` may be null.
std::vector<DeviceKernelFacts> deviceFacts(const lower::DeviceForm& form, const std::string& architecture,
                                           const codegen::AssembledText* assembled);

/// Of each PrimFunc of a program that a device runs, by its symbol: the kernel of it of which a unit runs the fewest at
/// one time, by what the vendor's assembler says of registers. Fails, for one or for all, with why nobody knows.
using OccupancyTable = std::map<std::string, Result<codegen::Occupancy>, std::less<>>;
Result<OccupancyTable> occupancies(const Program& program, const Control& control);

}  // namespace rx::compile
