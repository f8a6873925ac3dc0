#include "core/tensor/element_block.h"

#include <cstring>

namespace rx {
namespace {

template <class T, class Number>
void readAll(const std::byte* data, int64_t count, double* out, int64_t stride, Number number) {
  for (int64_t i = 0; i < count; ++i) {
    T raw;
    std::memcpy(&raw, data + i * stride * static_cast<int64_t>(sizeof raw), sizeof raw);
    out[i] = static_cast<double>(number(raw));
  }
}

}  // namespace

void readElements(const HostTensor& tensor, int64_t begin, int64_t count, double* out, int64_t stride) {
  const DataType dtype = tensor.dtype();
  const std::byte* data = tensor.data() + begin * tensor.elementBytes();
  const auto itself = [](auto value) { return value; };
  const bool ieee = dtype.code == TypeCode::Float;
  if (ieee && dtype.bits == 32) return readAll<float>(data, count, out, stride, itself);
  if (ieee && dtype.bits == 64) return readAll<double>(data, count, out, stride, itself);
  if (ieee && dtype.bits == 16) return readAll<uint16_t>(data, count, out, stride, halfToFloat);
  if (dtype.code == TypeCode::BFloat) return readAll<uint16_t>(data, count, out, stride, bfloatToFloat);
  if (dtype.isInt() && dtype.bits == 8) return readAll<int8_t>(data, count, out, stride, itself);
  if (dtype.isInt() && dtype.bits == 32) return readAll<int32_t>(data, count, out, stride, itself);
  if (dtype.isInt() && dtype.bits == 64) return readAll<int64_t>(data, count, out, stride, itself);
  for (int64_t i = 0; i < count; ++i) out[i] = tensor.at(begin + i * stride);
}

}  // namespace rx
