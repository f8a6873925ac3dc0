#include "core/ir/attrs.h"

#include "core/ir/prim_expr.h"

namespace rx::ir {

DictAttrs::DictAttrs(const std::vector<std::pair<Str, NodeRef>>& entries) {
  std::vector<Str> names;
  std::vector<NodeRef> items;
  names.reserve(entries.size());
  items.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    size_t at = 0;
    while (at < names.size() && !(names[at] == key)) ++at;
    if (at < names.size()) {
      items[at] = value;
      continue;
    }
    names.push_back(key);
    items.push_back(value);
  }
  keys = Array<Str>(std::move(names));
  values = Array<NodeRef>(std::move(items));
}

NodeRef DictAttrs::get(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return values[i];
  }
  return nullptr;
}

namespace {
std::vector<std::pair<Str, NodeRef>> entriesOf(const Attrs& attrs) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (size_t i = 0; attrs && i < attrs->size(); ++i) entries.emplace_back(attrs->keys[i], attrs->values[i]);
  return entries;
}
}  // namespace

Attrs withAttr(const Attrs& attrs, Str key, NodeRef value) {
  auto entries = entriesOf(attrs);
  entries.emplace_back(std::move(key), std::move(value));
  return make<DictAttrs>(entries);
}

Attrs withoutAttr(const Attrs& attrs, std::string_view key) {
  if (!attrOf(attrs, key)) return attrs;
  auto entries = entriesOf(attrs);
  std::erase_if(entries, [&](const auto& entry) { return entry.first == key; });
  return make<DictAttrs>(entries);
}

NodeRef attrOf(const Attrs& attrs, std::string_view key) { return attrs ? attrs->get(key) : nullptr; }

int64_t intAttrOf(const Attrs& attrs, std::string_view key, int64_t fallback) {
  NodeRef value = attrOf(attrs, key);
  if (const auto* number = as<IntAttr>(value)) return number->value;
  if (const auto* truth = as<BoolAttr>(value)) return truth->value ? 1 : 0;
  if (const auto* imm = as<tir::IntImm>(value)) return imm->value;
  return fallback;
}

bool boolAttrOf(const Attrs& attrs, std::string_view key, bool fallback) {
  return intAttrOf(attrs, key, fallback ? 1 : 0) != 0;
}

std::string_view strAttrOf(const Attrs& attrs, std::string_view key, std::string_view fallback) {
  NodeRef value = attrOf(attrs, key);
  const auto* text = as<StrAttr>(value);
  return text ? text->value.view() : fallback;
}

NodeRef nullAttr() { return make<NullAttr>(); }
NodeRef boolAttr(bool value) { return make<BoolAttr>(value); }
NodeRef intAttr(int64_t value) { return make<IntAttr>(value); }
NodeRef floatAttr(double value) { return make<FloatAttr>(value); }
NodeRef strAttr(Str value) { return make<StrAttr>(std::move(value)); }
NodeRef typeAttr(DataType value) { return make<TypeAttr>(value); }
NodeRef arrayAttr(Array<NodeRef> items) { return make<ArrayAttr>(std::move(items)); }
NodeRef intArrayAttr(std::span<const int64_t> items) {
  std::vector<NodeRef> values;
  for (int64_t item : items) values.push_back(intAttr(item));
  return arrayAttr(std::move(values));
}

std::string_view targetKind(const NodeRef& target) {
  std::string_view text;
  if (const auto* s = as<StrAttr>(target)) text = s->value.view();
  if (const auto* d = as<DictAttrs>(target)) {
    const NodeRef kind = d->get("kind");
    if (const auto* s = as<StrAttr>(kind)) text = s->value.view();
  }
  return text.substr(0, text.find_first_of(" :"));
}

}  // namespace rx::ir
