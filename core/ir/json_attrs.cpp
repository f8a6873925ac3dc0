#include "core/ir/json_attrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rx::ir {

namespace {

using Json = nlohmann::ordered_json;

/// Deepest nesting of brackets outside of texts.
int nestingOf(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      continue;
    }
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

/// Recursion is bounded by kMaxJsonNesting, which nestingOf has checked.
NodeRef valueOf(const Json& json) {
  if (json.is_boolean()) return boolAttr(json.get<bool>());
  if (json.is_number_integer()) return intAttr(json.get<int64_t>());
  if (json.is_number()) return floatAttr(json.get<double>());
  if (json.is_string()) return strAttr(json.get<std::string>());
  if (json.is_array()) {
    std::vector<NodeRef> items;
    for (const Json& item : json) items.push_back(valueOf(item));
    return arrayAttr(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<Str, NodeRef>> entries;
    for (const auto& [key, item] : json.items()) entries.emplace_back(key, valueOf(item));
    return make<DictAttrs>(entries);
  }
  return nullAttr();
}

}  // namespace

Result<Attrs> attrsFromJson(std::string_view text, std::string_view rule) {
  if (nestingOf(text) > kMaxJsonNesting) {
    return fail(std::string(rule), fmt::format("the JSON object nests deeper than {} levels", kMaxJsonNesting));
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return fail(std::string(rule), "this is not a JSON object");
  return refAs<DictAttrs>(valueOf(json));
}

}  // namespace rx::ir
