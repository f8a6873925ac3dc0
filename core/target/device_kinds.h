// Devices by their types and kinds, as passes ask for them: the rows of device_kinds.def.
#pragma once

#include <optional>
#include <string_view>

#include "core/target/target.h"

namespace rx::target {

/// Name of a device type of DLPack ("opencl"); empty where there is none of this number.
std::string_view deviceTypeName(int64_t type);
std::optional<int64_t> deviceTypeNamed(std::string_view name);
/// Whether kernels of devices of this type run on threads in groups.
bool runsThreads(int64_t deviceType);

enum class DeviceTrait : uint8_t {
  WarpMasks,         ///< functions of warps say which threads take part
  WarpShuffles,      ///< threads of a warp take each other's values
  WholeWarps,        ///< a shuffle is always one of the whole warp
  ReturnsInKernels,  ///< a thread may end before the end of its kernel
  ByteProducts,      ///< sums of products of 8 bits are fast
  PredicatedLoads,   ///< a load may hang on a predicate
  TypedMemory,       ///< memory holds elements of one type alone
};
bool hasTrait(std::string_view kind, DeviceTrait trait);

enum class FloatFamily : uint8_t { BFloat16, Float8 };
/// Whether the devices of a target compute in a family of floats by themselves.
bool computesIn(const Target& target, FloatFamily family);

/// 80 of "sm_80"; 0 where the target says none.
int64_t capabilityOf(const Target& target);

/// Bytes that a group of threads may share: what the target says where that is less than every kernel may declare, else
/// what its architecture has.
int64_t sharedBytesOf(const Target& target);

}  // namespace rx::target
