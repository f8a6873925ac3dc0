// What kernels compute, for tests of schedules.
#pragma once

#include "core/interpret/interpret.h"
#include "core/ir/all_nodes.h"

namespace rx::test {

/// What the kernel stores in its last parameter; the others count up from a half, seven numbers of which sums and
/// products are exact. Sizes that are not known are five.
inline Result<std::vector<double>> resultOf(const tir::PrimFuncRef& function) {
  std::vector<interpret::Value> arguments;
  Ref<HostTensor> last;
  for (const tir::BufferRef& buffer : function->buffers) {
    std::vector<int64_t> shape;
    size_t count = 1;
    for (const tir::PrimExpr& size : buffer->shape) {
      shape.push_back(tir::asInt(size).value_or(5));
      count *= static_cast<size_t>(shape.back());
    }
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = 0.5 + static_cast<double>(i % 7);
    last = *HostTensor::fromDoubles(shape, buffer->dtype, values);
    arguments.push_back(interpret::Value::of(last));
  }
  RX_CHECK(interpret::runPrimFunc(function, arguments, {}));
  std::vector<double> made;
  for (int64_t i = 0; i < last->count(); ++i) made.push_back(last->at(i));
  return made;
}

}  // namespace rx::test
