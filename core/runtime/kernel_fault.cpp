#include "core/runtime/kernel_fault.h"

#include <algorithm>

#include "core/tensor/host_tensor.h"

namespace rx::vm {

std::string_view ruleOf(KernelFault fault) {
  static constexpr std::string_view kRules[] = {"kernel.bounds", "kernel.division", "kernel.assertion", "kernel.size",
                                                "vm.cancelled"};
  return kRules[static_cast<size_t>(fault)];
}

std::string accessText(std::string_view buffer, std::span<const int64_t> indicesAndExtents, int64_t bytes) {
  for (size_t axis = 0; 2 * axis + 1 < indicesAndExtents.size(); ++axis) {
    const int64_t index = indicesAndExtents[2 * axis], extent = indicesAndExtents[2 * axis + 1];
    if (index >= 0 && index < extent) continue;
    if (extent <= 0) return fmt::format("index {} of dimension {} of {}, which has no elements", index, axis, buffer);
    return fmt::format("index {} of dimension {} of {} is outside of 0..{}", index, axis, buffer, extent - 1);
  }
  return fmt::format("an access to {} leaves its memory of {} bytes", buffer, bytes);
}

bool partFits(int64_t offset, int64_t extent, int64_t elementBytes, int64_t bytes) {
  const int64_t elements = bytes / std::max<int64_t>(elementBytes, 1);
  return offset >= 0 && extent >= 0 && offset <= elements && extent <= elements - offset;
}

std::string sizeText(std::string_view buffer) {
  return fmt::format("{} has no size: an extent is negative, or their product too large for a number", buffer);
}

std::string assertionText(std::string_view message) {
  return message.empty() ? "an assertion does not hold" : fmt::format("assertion failed: {}", message);
}

std::string partText(int64_t offset, int64_t extent, int64_t bytes) {
  return fmt::format("a pointer to {} elements at element {} does not lie in its memory of {} bytes", extent, offset,
                     bytes);
}

Result<Unit> checkArray(const std::vector<int64_t>& shape, DataType dtype, int64_t offset, int64_t bytes) {
  const auto count = elementCount(shape);
  const int64_t element = count ? tensorBytes({}, dtype).value_or(0) : 0;
  if (element > 0 && partFits(offset, *count, element, bytes)) return Unit{};
  return fail(std::string(ruleOf(KernelFault::Bounds)),
              fmt::format("an array {} of \"{}\" at element {} does not lie in its memory of {} bytes",
                          shapeText(shape), dtype.str(), offset, bytes));
}

}  // namespace rx::vm
