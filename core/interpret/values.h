// What a value holds, where it is of the form that is asked for; null or nothing otherwise.
#pragma once

#include <optional>

#include "core/interpret/interpret.h"

namespace rx::interpret {

inline const HostTensor* tensorIn(const Value& value) {
  return value.is(vm::ValueKind::Tensor) ? &value.tensor() : nullptr;
}
inline const std::vector<int64_t>* shapeIn(const Value& value) {
  return value.is(vm::ValueKind::Shape) ? &value.asShape() : nullptr;
}
inline const std::vector<Value>* tupleIn(const Value& value) {
  return value.is(vm::ValueKind::Tuple) ? &value.asTuple() : nullptr;
}
inline std::optional<int64_t> intIn(const Value& value) {
  return value.is(vm::ValueKind::Int) ? std::optional(value.asInt()) : std::nullopt;
}
inline std::optional<double> floatIn(const Value& value) {
  return value.is(vm::ValueKind::Float) ? std::optional(value.asFloat()) : std::nullopt;
}
inline std::optional<bool> boolIn(const Value& value) {
  return value.is(vm::ValueKind::Bool) ? std::optional(value.asBool()) : std::nullopt;
}
inline std::optional<DataType> typeIn(const Value& value) {
  return value.is(vm::ValueKind::Type) ? std::optional(value.asType()) : std::nullopt;
}
inline const FunctionValue* functionIn(const Value& value) {
  return value.is(vm::ValueKind::Opaque) ? dynamic_cast<const FunctionValue*>(value.asObject().get()) : nullptr;
}

}  // namespace rx::interpret
