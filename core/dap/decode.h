// Typed bodies: structs with nlohmann conversions, read with diagnostics instead of exceptions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/dap/message.h"

namespace rx::dap {

/// A field that DAP requires and that may be null: the only nulls that are written.
template <class T>
struct Nullable : std::optional<T> {
  using std::optional<T>::optional;
};

/// Fields that a message leaves out, at every depth: empty optional ones, and values of any type that are null.
template <class T>
bool leftOut(const T&) {
  return false;
}
template <class T>
bool leftOut(const std::optional<T>& value) {
  return !value;
}
inline bool leftOut(const Json& value) { return value.is_null(); }

template <class T>
void writeValue(Json& out, const T& value) {
  out = value;
}
template <class T>
void writeValue(Json& out, const std::optional<T>& value) {
  if (value) writeValue(out, *value);
}
template <class T>
void writeValue(Json& out, const Nullable<T>& value) {
  writeValue(out, static_cast<const std::optional<T>&>(value));
}
template <class T>
void writeField(Json& object, const char* name, const T& value) {
  if (!leftOut(value)) writeValue(object[name], value);
}

template <class T>
void readValue(const Json& json, T& value) {
  json.get_to(value);
}
/// Clients without integers write 1.0. What does not fit in 64 bits is the largest number: no id and no count is.
inline void readValue(const Json& json, int64_t& value) {
  if (json.is_number_unsigned()) {
    value = static_cast<int64_t>(std::min<uint64_t>(json.get<uint64_t>(), std::numeric_limits<int64_t>::max()));
    return;
  }
  const double number = json.is_number_float() ? json.get<double>() : 0.5;
  const bool whole = number == std::trunc(number) && std::abs(number) < 0x1p63;
  value = whole ? static_cast<int64_t>(number) : json.get_ref<const int64_t&>();
}
template <class T>
void readValue(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& item : json.get_ref<const Json::array_t&>()) readValue(item, values.emplace_back());
}
template <class T>
void readValue(const Json& json, std::optional<T>& value) {
  readValue(json, value.emplace());
}
template <class T>
void readValue(const Json& json, Nullable<T>& value) {
  readValue(json, value.emplace());
}
/// Absent and null are the same: the field keeps its default.
template <class T>
void readField(const Json& json, const char* name, T& value) {
  const auto& object = json.get_ref<const Json::object_t&>();
  const auto it = object.find(name);
  if (it != object.end() && !it->second.is_null()) readValue(it->second, value);
}

}  // namespace rx::dap

/// Declares how a struct goes to JSON and back, field by field. The bodies are compiled once (conversions.cpp defines
/// RX_DAP_BODIES): in each user they take longer than the user itself.
#ifdef RX_DAP_BODIES
#define RX_DAP_WRITE(field) writeField(rxJson, #field, rxValue.field);
#define RX_DAP_READ(field) readField(rxJson, #field, rxValue.field);
#define RX_DAP_TYPE(Type, ...)                                           \
  void to_json(nlohmann::json& rxJson, const Type& rxValue) {            \
    rxJson = nlohmann::json::object();                                   \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(RX_DAP_WRITE, __VA_ARGS__)) \
  }                                                                      \
  void from_json(const nlohmann::json& rxJson, Type& rxValue) {          \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(RX_DAP_READ, __VA_ARGS__))  \
  }
#else
#define RX_DAP_TYPE(Type, ...)                           \
  void to_json(nlohmann::json& json, const Type& value); \
  void from_json(const nlohmann::json& json, Type& value);
#endif

namespace rx::dap {

/// Reads a T from the arguments or body of `what`; a field of another type fails with `dap.arguments`.
template <class T>
Result<T> decode(const Json& json, const std::string& what) {
  try {
    return json.is_null() ? T() : json.get<T>();
  } catch (const nlohmann::json::exception& error) {
    return fail("dap.arguments", what + ": " + escapedForDisplay(error.what()));
  }
}

/// Writes a T.
template <class T>
Json encode(const T& value) {
  return value;
}

}  // namespace rx::dap
