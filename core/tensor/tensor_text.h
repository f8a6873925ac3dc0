// Tensors as text.
#pragma once

#include <string>

#include "core/tensor/host_tensor.h"

namespace rx {

/// Its numbers as NumPy prints them, with at most `limit` elements before the middle is left out.
std::string tensorText(const HostTensor& tensor, int64_t limit = 1000);
/// `Tensor((3, 4), "float32")`, behind it the device where it lies on one.
std::string tensorSummary(const HostTensor& tensor);
/// " on " and the name of the device; "" for the host, which is null.
std::string placeText(const DeviceMemory* device);

}  // namespace rx
