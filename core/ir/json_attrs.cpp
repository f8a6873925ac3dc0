#include "core/ir/json_attrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/support/json_text.h"

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

/// Remembers where a text stops being JSON.
struct FaultPlace : nlohmann::detail::json_sax_acceptor<Json> {
  size_t at = 0;
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
    at = position;
    return false;
  }
};

}  // namespace

Result<Attrs> attrsFromJson(std::string_view text, std::string_view rule) {
  if (nestingOf(text) > kMaxJsonNesting) {
    return fail(std::string(rule), fmt::format("the JSON object nests deeper than {} levels", kMaxJsonNesting));
  }
  Json json = parsedJson<Json>(text);
  if (json.is_discarded() || !json.is_object()) return fail(std::string(rule), "this is not a JSON object");
  return refAs<DictAttrs>(valueOf(json));
}

Span jsonFault(std::string_view text) {
  FaultPlace place;
  const bool whole = Json::sax_parse(text, &place);
  const auto at = static_cast<uint32_t>(std::min(std::max<size_t>(place.at, 1) - 1, text.size()));
  return whole ? Span{0, static_cast<uint32_t>(text.size()), 0} : Span{at, at + 1, 0};
}

Span keyPlace(std::string_view json, std::span<const std::string_view> path) {
  size_t depth = 0, matched = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c != '"') continue;
    const size_t begin = i++;
    while (i < json.size() && json[i] != '"') i += json[i] == '\\' ? 2 : 1;
    const size_t next = json.find_first_not_of(" \t\r\n", i + 1);
    const bool isKey = next != std::string_view::npos && json[next] == ':';
    if (!isKey || depth != matched + 1 || json.substr(begin + 1, i - begin - 1) != path[matched]) continue;
    if (++matched == path.size()) return {static_cast<uint32_t>(begin), static_cast<uint32_t>(i + 1), 0};
  }
  return {};
}

}  // namespace rx::ir
