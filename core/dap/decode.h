// Typed bodies: structs with nlohmann conversions, read with diagnostics instead of exceptions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/dap/message.h"

// Optional fields: absent and null are the same, and an empty one is not written.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& out, const std::optional<T>& value) {
    if (value) {
      out = *value;
    } else {
      out = nullptr;
    }
  }
  static void from_json(const json& in, std::optional<T>& value) {
    if (in.is_null()) {
      value.reset();
    } else {
      value = in.get<T>();
    }
  }
};

/// Declares how a struct goes to JSON and back, field by field; absent fields keep their defaults. The bodies are
/// compiled once (conversions.cpp defines RX_DAP_BODIES): in each user they take longer than the user itself.
#ifdef RX_DAP_BODIES
#define RX_DAP_TYPE(Type, ...)                                                              \
  void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {              \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) {            \
    const Type nlohmann_json_default_obj;                                                   \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
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

/// Writes a T, leaving out optional fields that are empty.
template <class T>
Json encode(const T& value) {
  Json json = value;
  if (json.is_object())
    for (auto it = json.begin(); it != json.end();) it = it->is_null() ? json.erase(it) : std::next(it);
  return json;
}

}  // namespace rx::dap
