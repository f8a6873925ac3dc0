// KernelFault: how a kernel may end itself. One rule and one text for each way, whoever runs the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/tensor/dtype.h"

namespace rx::vm {

enum class KernelFault : int32_t {
  Bounds = 0,     ///< an access outside of its buffer, or of the memory behind it
  Division = 1,   ///< an integer divided by zero
  Assertion = 2,  ///< of the kernel's text
  Size = 3,       ///< an allocation whose size is negative or too large for a number
  Cancelled = 4,  ///< the run was, which a loop saw that looked
};

/// What is said of KernelFault::Cancelled, in a kernel and between two instructions.
inline constexpr const char* kCancelledText = "the run was cancelled";

/// "kernel.bounds".
std::string_view ruleOf(KernelFault fault);

/// What is said of an access by pairs of an index and the extent of its dimension: which index is outside, or that the
/// access leaves the memory of so many bytes.
std::string accessText(std::string_view buffer, std::span<const int64_t> indicesAndExtents, int64_t bytes);

/// Whether `extent` elements lie, `offset` elements behind its beginning, in memory of so many bytes.
bool partFits(int64_t offset, int64_t extent, int64_t elementBytes, int64_t bytes);
/// What is said of an allocation without a size, and of an assertion.
std::string sizeText(std::string_view buffer);
std::string assertionText(std::string_view message);
/// What is said of a pointer to a part that does not.
std::string partText(int64_t offset, int64_t extent, int64_t bytes);
/// The same for a tensor of this shape and type, as a kernel hands it to a packed function. Fails with kernel.bounds.
Result<Unit> checkArray(const std::vector<int64_t>& shape, DataType dtype, int64_t offset, int64_t bytes);

}  // namespace rx::vm
