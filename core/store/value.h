// Values of registers as the file keeps them: descriptions, whose tensors say in which storage their bytes are.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/coding.h"
#include "core/support/result.h"
#include "core/tensor/dtype.h"

namespace rx::store {

enum class ValueKind : uint8_t {
  None,
  Tensor,
  Shape,
  Int,
  Float,
  String,
  DType,
  Tuple,
  Storage,
  Closure,
  Object,
  Variant,  ///< of an algebraic data type: a tuple with a number
  kCount
};

/// A value that was read back.
struct Value {
  ValueKind kind = ValueKind::None;
  int64_t integer = 0;         ///< Int; of a Variant the number of its constructor
  double real = 0;             ///< Float
  std::string text;            ///< String; name of a Closure, line that shows an Object
  DataType dtype;              ///< Tensor, DType
  std::vector<int64_t> shape;  ///< Tensor, Shape
  uint32_t storage = 0;        ///< Tensor, Storage: the writer's number of it
  int64_t offset = 0;          ///< Tensor: bytes from the start of the storage
  std::vector<Value> items;    ///< Tuple; fields of a Variant; what a Closure captured

  bool operator==(const Value&) const = default;
};

/// A tensor by where its bytes are; `shape` is the caller's.
struct TensorPlace {
  uint32_t storage = 0;
  int64_t offset = 0;
  DataType dtype;
  std::span<const int64_t> shape;
};

/// Makes the bytes of one value. A Tuple, Variant or Closure is followed by as many values as it says, at most 1,000
/// inside each other. The buffer is kept between values, so that encoding allocates nothing.
class ValueEncoder {
 public:
  void clear() { out_.clear(); }
  /// Valid until the next call of another method.
  std::string_view bytes() const { return out_.bytes(); }

  void none() { kind(ValueKind::None); }
  void integer(int64_t value);
  void real(double value);
  void string(std::string_view text);
  void dtype(DataType type);
  void shape(std::span<const int64_t> dims);
  void tensor(const TensorPlace& tensor);
  void storage(uint32_t number);
  void tuple(size_t items);
  void variant(int64_t constructor, size_t fields);
  void closure(std::string_view name, size_t captured);
  void object(std::string_view shown);
  void value(const Value& value);

 private:
  void kind(ValueKind kind) { out_.byte(static_cast<uint8_t>(kind)); }
  void type(DataType type);
  void dims(std::span<const int64_t> dims);
  ByteOut out_;
};

/// Fails with `store.damaged` where the bytes are no value.
Result<Value> decodeValue(std::string_view bytes);
/// The next value of a record, nothing where it is none.
std::optional<Value> nextValue(ByteIn& in);
/// Calls `use` with every storage that a value refers to, inside of tuples and closures too.
void eachStorage(const Value& value, const std::function<void(uint32_t)>& use);

}  // namespace rx::store
