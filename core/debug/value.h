// Value: what a register of the machine holds, as the debugger shows it. A copy of the description, not of the data:
// tensors refer to their bytes.
#pragma once

#include <string>
#include <vector>

#include "core/store/value.h"
#include "core/tensor/host_tensor.h"
#include "core/tensor/stats.h"

namespace rx::debug {

using store::ValueKind;
/// "none", "tensor", ...
std::string_view valueKindName(ValueKind kind);

struct Value {
  ValueKind kind = ValueKind::None;
  Ref<HostTensor> tensor;      ///< Tensor
  std::vector<int64_t> shape;  ///< Shape: the numbers
  int64_t integer = 0;         ///< Int; of a Storage its size in bytes, of a Variant the number of its constructor
  double real = 0;             ///< Float
  std::string text;            ///< String, DType; name of a Closure, Object or, where it is known, constructor
  std::vector<Value> items;    ///< Tuple; fields of a Variant; what a Closure captured
  Ref<Storage> memory;         ///< Storage
  uint64_t storage = 0;        ///< Tensor and Storage: number of the memory it lies in, the same for all that share it
  int64_t offset = 0;          ///< Tensor: bytes from the start of that memory
  bool kept = true;            ///< false: nothing of it is recorded, and `text` says why
  bool described = false;      ///< a tensor in it is there without its elements: its bytes say nothing
  /// Whether its items can be gone into by their index.
  bool indexed() const { return kind == ValueKind::Tuple || kind == ValueKind::Variant; }
  std::string place;  ///< Tensor and Storage: the device that the memory was on; "" for the host
};

/// The number of a run's memory as it is shown: from 1 on.
constexpr uint64_t storageNumber(uint32_t recorded) { return uint64_t{recorded} + 1; }
constexpr uint32_t recordedNumber(uint64_t shown) { return static_cast<uint32_t>(shown - 1); }
/// A tensor that is no part of the run.
Value tensorValue(Ref<HostTensor> tensor);

/// The item of tuples in each other that a path leads to; the value itself where nothing of it is kept. Fails with
/// `debug.value` where there is none.
Result<Value> itemAt(Value value, const std::vector<int>& path);

/// One line: `Tensor((3, 4), float32)`, behind it where it was on a device, `(3, 12)`, `5`, `"text"`, `tuple of 2`,
/// `Cons with 2 fields`, `Nil`.
std::string valueText(const Value& value);

}  // namespace rx::debug
