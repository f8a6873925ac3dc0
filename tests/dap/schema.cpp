#include "schema.h"

#include <algorithm>
#include <fstream>

namespace rx::test {

namespace {

using Json = nlohmann::json;

struct TypeRow {
  const char* name;
  bool (*is)(const Json&);
};
constexpr TypeRow kTypes[] = {
    {"object", [](const Json& v) { return v.is_object(); }},
    {"array", [](const Json& v) { return v.is_array(); }},
    {"string", [](const Json& v) { return v.is_string(); }},
    {"boolean", [](const Json& v) { return v.is_boolean(); }},
    {"null", [](const Json& v) { return v.is_null(); }},
    {"number", [](const Json& v) { return v.is_number(); }},
    {"integer", [](const Json& v) { return v.is_number_integer(); }},
};

/// A walk over one message; each keyword adds what it finds.
class Walk {
 public:
  Walk(const Json& root, std::string where) : root_(root), where_(std::move(where)) {}
  void check(const Json& schema, const Json& value, const std::string& path);
  /// No null anywhere below.
  void checkNoNull(const Json& value, const std::string& path) {
    if (value.is_null()) report(path, "null");
    if (!value.is_structured()) return;
    for (const auto& item : value.items()) checkNoNull(item.value(), path + "/" + item.key());
  }
  std::vector<std::string> found;

 private:
  struct Keyword {
    const char* name;
    void (Walk::*check)(const Json& schema, const Json& value, const std::string& path);
  };
  static const Keyword kKeywords[];

  void report(const std::string& path, const std::string& why) { found.push_back(where_ + ", " + path + ": " + why); }

  void reference(const Json& schema, const Json& value, const std::string& path) {
    const std::string name = schema["$ref"];
    check(root_.at(Json::json_pointer(name.substr(1))), value, path);
  }
  void all(const Json& schema, const Json& value, const std::string& path) {
    for (const Json& part : schema["allOf"]) check(part, value, path);
  }
  void one(const Json& schema, const Json& value, const std::string& path) {
    const auto fits = [&](const Json& part) {
      Walk walk(root_, where_);
      walk.check(part, value, path);
      return walk.found.empty();
    };
    if (std::none_of(schema["oneOf"].begin(), schema["oneOf"].end(), fits)) report(path, "none of the alternatives");
  }
  void type(const Json& schema, const Json& value, const std::string& path) {
    const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    const auto fits = [&](const Json& name) {
      const auto row =
          std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& r) { return r.name == name; });
      return row != std::end(kTypes) && row->is(value);
    };
    if (std::none_of(types.begin(), types.end(), fits)) report(path, value.dump() + " is no " + types.dump());
  }
  void properties(const Json& schema, const Json& value, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& item : schema["properties"].items())
      if (const auto it = value.find(item.key()); it != value.end()) check(item.value(), *it, path + "/" + item.key());
  }
  void required(const Json& schema, const Json& value, const std::string& path) {
    if (!value.is_object()) return;
    for (const std::string name : schema["required"])
      if (!value.contains(name)) report(path, "`" + name + "` is missing");
  }
  void additional(const Json& schema, const Json& value, const std::string& path) {
    if (!value.is_object() || !schema["additionalProperties"].is_object()) return;
    for (const auto& item : value.items())
      if (!schema.contains("properties") || !schema["properties"].contains(item.key()))
        check(schema["additionalProperties"], item.value(), path + "/" + item.key());
  }
  void enumeration(const Json& schema, const Json& value, const std::string& path) {
    const Json& allowed = schema["enum"];
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      report(path, value.dump() + " is none of " + allowed.dump());
  }
  void items(const Json& schema, const Json& value, const std::string& path) {
    for (size_t i = 0; value.is_array() && i < value.size(); ++i)
      check(schema["items"], value[i], path + "/" + std::to_string(i));
  }
  void minimum(const Json& schema, const Json& value, const std::string& path) {
    if (value.is_number() && value < schema["minimum"]) report(path, value.dump() + " is too small");
  }
  void maximum(const Json& schema, const Json& value, const std::string& path) {
    if (value.is_number() && value > schema["maximum"]) report(path, value.dump() + " is too large");
  }
  void format(const Json& schema, const Json& value, const std::string& path) {
    const int64_t limit = schema["format"] == "int32"    ? INT32_MAX
                          : schema["format"] == "uint32" ? UINT32_MAX
                                                         : INT64_MAX;
    if (value.is_number_integer() && (value > limit || value < -limit - 1))
      report(path, value.dump() + " has too many bits");
  }

  const Json& root_;
  std::string where_;
};

const Walk::Keyword Walk::kKeywords[] = {
    {"$ref", &Walk::reference},
    {"allOf", &Walk::all},
    {"oneOf", &Walk::one},
    {"type", &Walk::type},
    {"properties", &Walk::properties},
    {"required", &Walk::required},
    {"enum", &Walk::enumeration},
    {"additionalProperties", &Walk::additional},
    {"items", &Walk::items},
    {"minimum", &Walk::minimum},
    {"maximum", &Walk::maximum},
    {"format", &Walk::format},
};

void Walk::check(const Json& schema, const Json& value, const std::string& path) {
  for (const Keyword& keyword : kKeywords)
    if (schema.contains(keyword.name)) (this->*keyword.check)(schema, value, path);
}

/// "stackTrace" and "Response": the definition "StackTraceResponse".
std::string definition(std::string name, const char* kind) {
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z')
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name + kind;
}

}  // namespace

const Schema& Schema::published() {
  static const Schema schema(Json::parse(std::ifstream(RX_SOURCE_DIR "/tests/dap/debugAdapterProtocol.json")));
  return schema;
}

std::vector<std::string> Schema::violations(const Json& message) const {
  const std::string type = message.value("type", "");
  const std::string name = message.value(type == "event" ? "event" : "command", "");
  const char* kind = type == "event" ? "Event" : type == "response" ? "Response" : "Request";
  std::string wanted = definition(name, kind);
  if (type == "response" && !message.value("success", false)) wanted = "ErrorResponse";
  Walk walk(schema_, name + " " + type);
  const bool known = has(wanted);
  walk.check(schema_["definitions"][known ? wanted : kind], message, "");
  if (!known && !name.starts_with("rxs/")) walk.found.push_back(name + " " + type + ": the protocol has none");
  if (!known) walk.checkNoNull(message, "");
  return walk.found;
}

}  // namespace rx::test
