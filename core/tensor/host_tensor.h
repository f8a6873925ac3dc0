// HostTensor: a dense row-major view (byte offset, shape, data type) of a Storage. Constants, inputs and results lie in
// the memory of this process, and their elements are read at once; those of a run may lie on a device, from where a
// copy brings them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/ref.h"
#include "core/support/result.h"
#include "core/tensor/dtype.h"
#include "core/tensor/element.h"
#include "core/tensor/storage.h"

namespace rx {

/// Number of elements, nothing when a dimension is negative or the product overflows.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);
/// Bytes of a dense tensor, nothing when elementCount has none or the product overflows. Sub-byte elements take one
/// byte each.
std::optional<int64_t> tensorBytes(std::span<const int64_t> shape, DataType dtype);
/// "(3, 4)", "(3,)", "()".
std::string shapeText(std::span<const int64_t> shape);

/// A tensor. Shape and type never change; the bytes change only through mutableData by the owner of the storage.
/// A tensor in a constant of the IR is shared and must not be written.
class HostTensor : public Object {
 public:
  /// A tensor over storage of its own, zeroed unless `fill` says otherwise. Fails with tensor.shape (negative,
  /// overflow), tensor.dtype (the type has no elements) or tensor.memory.
  static Result<Ref<HostTensor>> allocate(std::vector<int64_t> shape, DataType dtype, std::byte fill = std::byte{0});
  /// A view; fails with tensor.view when it does not lie inside the storage.
  static Result<Ref<HostTensor>> view(Ref<Storage> storage, int64_t byteOffset, std::vector<int64_t> shape,
                                      DataType dtype);
  /// Makes a tensor that only its one holder refers to into another view, without new memory. Asserts that it is so.
  static Result<Unit> remake(const HostTensor& unused, Ref<Storage> storage, int64_t byteOffset,
                             std::span<const int64_t> shape, DataType dtype);
  /// Lets go of the storage of such a tensor; it can only be remade then.
  static void abandon(const HostTensor& unused);
  static Ref<HostTensor> scalar(DataType dtype, double value);
  static Ref<HostTensor> scalarInt(DataType dtype, int64_t value);
  /// Copies `values` (converted one by one); their number must be that of the shape.
  static Result<Ref<HostTensor>> fromDoubles(std::vector<int64_t> shape, DataType dtype,
                                             std::span<const double> values);
  static Result<Ref<HostTensor>> fromInts(std::vector<int64_t> shape, DataType dtype, std::span<const int64_t> values);
  /// Copies raw bytes in the layout of the type.
  static Result<Ref<HostTensor>> fromBytes(std::vector<int64_t> shape, DataType dtype,
                                           std::span<const std::byte> bytes);

  /// Use the factories, which check.
  HostTensor(Ref<Storage> storage, int64_t byteOffset, std::vector<int64_t> shape, DataType dtype);

  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  DataType dtype() const { return dtype_; }
  int64_t count() const { return count_; }
  int64_t bytes() const { return count_ * elementBytes_; }
  int64_t elementBytes() const { return elementBytes_; }
  const Ref<Storage>& storage() const { return storage_; }
  int64_t byteOffset() const { return byteOffset_; }

  /// The device that it lies on; null: host memory.
  DeviceMemory* device() const { return storage_->device(); }
  /// What the kernels of its device are given for it: there the address of its first element.
  uint64_t handle() const { return storage_->handle() + static_cast<uint64_t>(byteOffset_); }
  /// The elements from row-major position `first` on, `count` of them, as a vector in host memory. The range lies
  /// inside; fails as Storage::read or HostTensor::allocate.
  Result<Ref<HostTensor>> slice(int64_t first, int64_t count) const;
  /// Itself where it lies in host memory, else a copy there.
  Result<Ref<HostTensor>> onHost() const;

  /// Asserts, as all below that reads elements, that it lies in host memory.
  const std::byte* data() const { return storage_->data() + byteOffset_; }
  std::span<const std::byte> byteSpan() const { return {data(), static_cast<size_t>(bytes())}; }
  std::byte* mutableData() const { return storage_->mutableData() + byteOffset_; }

  /// Element `i` in row-major order; not range-checked.
  double at(int64_t i) const { return readElement(dtype_, data() + i * elementBytes_); }
  int64_t intAt(int64_t i) const { return readInt(dtype_, data() + i * elementBytes_); }
  void set(int64_t i, double value) const { writeElement(dtype_, mutableData() + i * elementBytes_, value); }
  void setInt(int64_t i, int64_t value) const { writeInt(dtype_, mutableData() + i * elementBytes_, value); }

  /// The same bytes under another shape; fails with tensor.shape when the element counts differ.
  Result<Ref<HostTensor>> reshaped(std::vector<int64_t> shape) const;
  /// Own storage in host memory with the same bytes.
  Result<Ref<HostTensor>> copy() const;
  /// Same shape, type and bytes; both lie in host memory.
  bool identical(const HostTensor& other) const;

 private:
  Ref<Storage> storage_;
  int64_t byteOffset_;
  std::vector<int64_t> shape_;
  DataType dtype_;
  int64_t elementBytes_;
  int64_t count_;
};

}  // namespace rx
