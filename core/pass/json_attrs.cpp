#include "core/pass/json_attrs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/pass/literal.h"

namespace rx::pass {

namespace {

using Json = nlohmann::ordered_json;

/// Recursion is bounded by kMaxLiteralNesting, which nestingOf has checked.
NodeRef valueOf(const Json& json) {
  if (json.is_boolean()) return ir::boolAttr(json.get<bool>());
  if (json.is_number_integer()) return ir::intAttr(json.get<int64_t>());
  if (json.is_number()) return ir::floatAttr(json.get<double>());
  if (json.is_string()) return ir::strAttr(json.get<std::string>());
  if (json.is_array()) {
    std::vector<NodeRef> items;
    for (const Json& item : json) items.push_back(valueOf(item));
    return ir::arrayAttr(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<Str, NodeRef>> entries;
    for (const auto& [key, item] : json.items()) entries.emplace_back(key, valueOf(item));
    return make<ir::DictAttrs>(entries);
  }
  return ir::nullAttr();
}

}  // namespace

Result<ir::Attrs> attrsFromJson(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > kMaxLiteralNesting) {
      return fail("pass.config", fmt::format("the configuration nests deeper than {} levels", kMaxLiteralNesting));
    }
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return fail("pass.config", "the configuration is not a JSON object");
  return refAs<ir::DictAttrs>(valueOf(json));
}

}  // namespace rx::pass
