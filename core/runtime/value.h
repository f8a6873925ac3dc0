// core/runtime: the runtime. Values, storage, the functions that instructions call (packed functions, builtins,
// kernels), bytecode, the executable with its reader and verifier, and the machine. The engine links it, and packages
// hold it: it is compiled without exceptions, RTTI and the C++ library for them (core/export/package), so nothing here
// throws or uses what that library has only as code. No global state: a registry is an object that the machine is
// given.
//
// Value: what a register of the machine holds.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/str.h"
#include "core/tensor/host_tensor.h"

namespace rx::vm {

class Callable;
class Value;

enum class ValueKind : uint8_t {
  Null,
  Int,
  Float,
  Bool,
  String,
  Type,
  Tensor,
  Shape,
  Tuple,
  Closure,
  Storage,
  Function,   ///< a Callable: packed function, builtin or kernel
  Machine,    ///< stands for the running machine, the first argument of some builtins
  Reference,  ///< a place whose content changes
  Opaque,     ///< any other object, only passed around
};
std::string_view valueKindName(ValueKind kind);

struct StringObject : Object {
  explicit StringObject(std::string t) : text(std::move(t)) {}
  const std::string text;
};
struct ShapeObject : Object {
  explicit ShapeObject(std::vector<int64_t> d) : dims(std::move(d)) {}
  const std::vector<int64_t> dims;
};
struct TupleObject : Object {
  static constexpr int64_t kPlain = -1;
  explicit TupleObject(std::vector<Value> i, int64_t t = kPlain);
  ~TupleObject() override;
  const std::vector<Value> items;
  const int64_t tag;  ///< of a value of an algebraic data type: the number of its constructor; else kPlain
};
/// A function of the executable with values for its last parameters.
struct ClosureObject : Object {
  ClosureObject(uint32_t f, std::string n, std::vector<Value> c);
  ~ClosureObject() override;
  const uint32_t function;  ///< index in the executable's function table
  const std::string name;
  const std::vector<Value> captured;
};

struct ReferenceObject;

/// 24 bytes; copying shares what is large.
class Value {
 public:
  Value() = default;
  static Value of(int64_t v) { return scalar(ValueKind::Int, static_cast<uint64_t>(v)); }
  static Value of(double v);
  static Value of(bool v) { return scalar(ValueKind::Bool, v); }
  static Value of(DataType v);
  static Value of(std::string text);
  static Value of(const char* text) { return of(std::string(text)); }
  static Value of(Ref<HostTensor> tensor) { return Value(ValueKind::Tensor, std::move(tensor)); }
  static Value of(Ref<Storage> storage) { return Value(ValueKind::Storage, std::move(storage)); }
  static Value of(Ref<Callable> function);
  static Value of(Ref<ClosureObject> closure) { return Value(ValueKind::Closure, std::move(closure)); }
  static Value shape(std::vector<int64_t> dims) { return Value(ValueKind::Shape, make<ShapeObject>(std::move(dims))); }
  static Value tuple(std::vector<Value> items) { return Value(ValueKind::Tuple, make<TupleObject>(std::move(items))); }
  /// A value of an algebraic data type: the fields of its constructor, which has a number.
  static Value variant(int64_t constructor, std::vector<Value> fields) {
    return Value(ValueKind::Tuple, make<TupleObject>(std::move(fields), constructor));
  }
  static Value machine() { return scalar(ValueKind::Machine, 0); }
  /// A new place that holds the value.
  static Value reference(Value content);
  static Value opaque(Ref<Object> object) { return Value(ValueKind::Opaque, std::move(object)); }

  ValueKind kind() const { return kind_; }
  bool isNull() const { return kind_ == ValueKind::Null; }
  bool is(ValueKind kind) const { return kind_ == kind; }

  /// Each asserts the kind.
  int64_t asInt() const { return static_cast<int64_t>(scalarOf(ValueKind::Int)); }
  double asFloat() const { return std::bit_cast<double>(scalarOf(ValueKind::Float)); }
  bool asBool() const { return scalarOf(ValueKind::Bool) != 0; }
  DataType asType() const { return std::bit_cast<DataType>(static_cast<uint32_t>(scalarOf(ValueKind::Type))); }
  /// A bool, or an integer that is not zero; false of anything else.
  bool isTrue() const { return (is(ValueKind::Bool) || is(ValueKind::Int)) && bits_ != 0; }
  const std::string& asString() const { return object<StringObject>(ValueKind::String).text; }
  Ref<HostTensor> asTensor() const { return Ref<HostTensor>(&object<HostTensor>(ValueKind::Tensor)); }
  const HostTensor& tensor() const { return object<HostTensor>(ValueKind::Tensor); }
  Ref<Storage> asStorage() const { return Ref<Storage>(&object<Storage>(ValueKind::Storage)); }
  const std::vector<int64_t>& asShape() const { return object<ShapeObject>(ValueKind::Shape).dims; }
  const std::vector<Value>& asTuple() const { return object<TupleObject>(ValueKind::Tuple).items; }
  int64_t tupleTag() const { return object<TupleObject>(ValueKind::Tuple).tag; }
  const ClosureObject& asClosure() const { return object<ClosureObject>(ValueKind::Closure); }
  const ReferenceObject& asReference() const;
  const Callable& asFunction() const;

  /// The very same scalar or object (not the same content).
  bool same(const Value& other) const {
    return kind_ == other.kind_ && bits_ == other.bits_ && object_ == other.object_;
  }
  /// The same content: tensors byte for byte, tuples item by item, functions by identity. What it reads lies in host
  /// memory.
  bool identical(const Value& other) const;
  /// One line: `Tensor((3, 4), "float32")`, behind it the device where it lies on one, `shape (3, 4)`, `42`, ...
  std::string summary() const;

 private:
  Value(ValueKind kind, Ref<Object> object) : kind_(object ? kind : ValueKind::Null), object_(std::move(object)) {}
  static Value scalar(ValueKind kind, uint64_t bits);
  uint64_t scalarOf(ValueKind kind) const {
    if (kind_ != kind) wrongKind(kind);
    return bits_;
  }
  template <class T>
  const T& object(ValueKind kind) const {
    if (kind_ != kind) wrongKind(kind);
    return static_cast<const T&>(*object_);
  }

  /// Stops with what the value is used as.
  [[noreturn]] void wrongKind(ValueKind used) const;

  ValueKind kind_ = ValueKind::Null;
  uint64_t bits_ = 0;
  Ref<Object> object_;
};

struct ReferenceObject : Object {
  explicit ReferenceObject(Value v) : content(std::move(v)) {}
  mutable Value content;
};
inline Value Value::reference(Value content) {
  return Value(ValueKind::Reference, make<ReferenceObject>(std::move(content)));
}
inline const ReferenceObject& Value::asReference() const { return object<ReferenceObject>(ValueKind::Reference); }

/// A value as `print` shows it: tensors with their numbers, strings without quotes.
std::string valueText(const Value& value);

}  // namespace rx::vm
