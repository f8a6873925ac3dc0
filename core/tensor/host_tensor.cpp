#include "core/tensor/host_tensor.h"

#include <algorithm>
#include <cstring>

namespace rx {
namespace {

Result<int64_t> checkedBytes(std::span<const int64_t> shape, DataType dtype) {
  if (!isStorable(dtype) && !(dtype.lanes > 1 && isStorable(dtype.element()))) {
    return fail("tensor.dtype", fmt::format("a tensor of \"{}\" can not be stored", dtype.str()));
  }
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes) return fail("tensor.shape", fmt::format("{} is no shape that can be allocated", shapeText(shape)));
  return *bytes;
}

Result<Unit> checkView(const Storage& storage, int64_t byteOffset, std::span<const int64_t> shape, DataType dtype) {
  RX_TRY(bytes, checkedBytes(shape, dtype));
  if (byteOffset >= 0 && byteOffset <= storage.bytes() && bytes <= storage.bytes() - byteOffset) return Unit{};
  return fail("tensor.view", fmt::format("a tensor {} of \"{}\" needs {} bytes at offset {}, the storage has {}",
                                         shapeText(shape), dtype.str(), bytes, byteOffset, storage.bytes()));
}

template <class T, class Write>
Result<Ref<HostTensor>> fromValues(std::vector<int64_t> shape, DataType dtype, std::span<const T> values, Write write) {
  RX_TRY(tensor, HostTensor::allocate(std::move(shape), dtype));
  if (tensor->count() != static_cast<int64_t>(values.size())) {
    return fail("tensor.shape", fmt::format("{} holds {} elements, {} are given", shapeText(tensor->shape()),
                                            tensor->count(), values.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) write(*tensor, static_cast<int64_t>(i), values[i]);
  return tensor;
}

}  // namespace

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) empty = true;
    if (dim != 0 && __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<int64_t> tensorBytes(std::span<const int64_t> shape, DataType dtype) {
  const auto count = elementCount(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, dtype.bytes(), &bytes)) return std::nullopt;
  return bytes;
}

std::string shapeText(std::span<const int64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

HostTensor::HostTensor(Ref<Storage> storage, int64_t byteOffset, std::vector<int64_t> shape, DataType dtype)
    : storage_(std::move(storage)),
      byteOffset_(byteOffset),
      shape_(std::move(shape)),
      dtype_(dtype),
      elementBytes_(dtype.bytes()),
      count_(elementCount(shape_).value_or(0)) {}

Result<Ref<HostTensor>> HostTensor::allocate(std::vector<int64_t> shape, DataType dtype, std::byte fill) {
  RX_TRY(bytes, checkedBytes(shape, dtype));
  RX_TRY(storage, Storage::allocate(bytes, fill));
  return make<HostTensor>(std::move(storage), 0, std::move(shape), dtype);
}

Result<Ref<HostTensor>> HostTensor::view(Ref<Storage> storage, int64_t byteOffset, std::vector<int64_t> shape,
                                         DataType dtype) {
  RX_CHECK(checkView(*storage, byteOffset, shape, dtype));
  return make<HostTensor>(std::move(storage), byteOffset, std::move(shape), dtype);
}

Result<Unit> HostTensor::remake(const HostTensor& unused, Ref<Storage> storage, int64_t byteOffset,
                                std::span<const int64_t> shape, DataType dtype) {
  RX_ASSERT(unused.unique(), "a tensor that is in use is made into another");
  auto& tensor = const_cast<HostTensor&>(unused);
  const bool alike =
      tensor.dtype_ == dtype && std::equal(shape.begin(), shape.end(), tensor.shape_.begin(), tensor.shape_.end());
  if (alike && byteOffset >= 0 && byteOffset <= storage->bytes() && tensor.bytes() <= storage->bytes() - byteOffset) {
    tensor.storage_ = std::move(storage);
    tensor.byteOffset_ = byteOffset;
    return Unit{};
  }
  RX_CHECK(checkView(*storage, byteOffset, shape, dtype));
  tensor.storage_ = std::move(storage);
  tensor.byteOffset_ = byteOffset;
  tensor.shape_.assign(shape.begin(), shape.end());
  tensor.dtype_ = dtype;
  tensor.elementBytes_ = dtype.bytes();
  tensor.count_ = elementCount(shape).value_or(0);
  return Unit{};
}

void HostTensor::abandon(const HostTensor& unused) {
  RX_ASSERT(unused.unique(), "a tensor that is in use is abandoned");
  const_cast<HostTensor&>(unused).storage_ = nullptr;
}

Ref<HostTensor> HostTensor::scalar(DataType dtype, double value) {
  auto tensor = allocate({}, dtype);
  RX_ASSERT(tensor.ok(), "a scalar of {}", dtype.str());
  (*tensor)->set(0, value);
  return *tensor;
}

Ref<HostTensor> HostTensor::scalarInt(DataType dtype, int64_t value) {
  auto tensor = allocate({}, dtype);
  RX_ASSERT(tensor.ok(), "a scalar of {}", dtype.str());
  (*tensor)->setInt(0, value);
  return *tensor;
}

Result<Ref<HostTensor>> HostTensor::fromDoubles(std::vector<int64_t> shape, DataType dtype,
                                                std::span<const double> values) {
  return fromValues(std::move(shape), dtype, values,
                    [](const HostTensor& t, int64_t i, double value) { t.set(i, value); });
}

Result<Ref<HostTensor>> HostTensor::fromInts(std::vector<int64_t> shape, DataType dtype,
                                             std::span<const int64_t> values) {
  return fromValues(std::move(shape), dtype, values,
                    [](const HostTensor& t, int64_t i, int64_t value) { t.setInt(i, value); });
}

Result<Ref<HostTensor>> HostTensor::fromBytes(std::vector<int64_t> shape, DataType dtype,
                                              std::span<const std::byte> bytes) {
  RX_TRY(needed, checkedBytes(shape, dtype));
  if (needed != static_cast<int64_t>(bytes.size())) {
    return fail("tensor.shape", fmt::format("{} of \"{}\" holds {} bytes, {} are given", shapeText(shape), dtype.str(),
                                            needed, bytes.size()));
  }
  RX_TRY(tensor, allocate(std::move(shape), dtype));
  if (!bytes.empty()) std::memcpy(tensor->mutableData(), bytes.data(), bytes.size());
  return tensor;
}

Result<Ref<HostTensor>> HostTensor::reshaped(std::vector<int64_t> shape) const {
  if (elementCount(shape) != count_) {
    return fail("tensor.shape", fmt::format("{} can not be reshaped to {}: the numbers of elements differ",
                                            shapeText(shape_), shapeText(shape)));
  }
  return make<HostTensor>(storage_, byteOffset_, std::move(shape), dtype_);
}

Result<Ref<HostTensor>> HostTensor::slice(int64_t first, int64_t count) const {
  RX_TRY(part, allocate({count}, dtype_));
  const std::span<std::byte> bytes(part->mutableData(), static_cast<size_t>(part->bytes()));
  RX_CHECK(storage_->read(byteOffset_ + first * elementBytes_, bytes));
  return part;
}

Result<Ref<HostTensor>> HostTensor::onHost() const {
  if (!device()) return Ref<HostTensor>(this);
  return copy();
}

Result<Ref<HostTensor>> HostTensor::copy() const {
  RX_TRY(all, slice(0, count_));
  return all->reshaped(shape_);
}

bool HostTensor::identical(const HostTensor& other) const {
  return shape_ == other.shape_ && dtype_ == other.dtype_ &&
         (bytes() == 0 || std::memcmp(data(), other.data(), static_cast<size_t>(bytes())) == 0);
}

}  // namespace rx
