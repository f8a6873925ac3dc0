#include "core/pass/options.h"

#include <algorithm>

#include "core/pass/literal.h"

namespace rx::pass {

namespace {

struct KindRow {
  OptionKind kind;
  const char* name;
  bool (*accepts)(const NodeRef&);
};
bool isTextList(const NodeRef& value) {
  const auto* list = as<ir::ArrayAttr>(value);
  return list &&
         std::all_of(list->items.begin(), list->items.end(), [](const NodeRef& v) { return isa<ir::StrAttr>(v); });
}
constexpr KindRow kKinds[] = {
    {OptionKind::Bool, "True or False", [](const NodeRef& v) { return isa<ir::BoolAttr>(v) || isa<ir::IntAttr>(v); }},
    {OptionKind::Int, "an integer", [](const NodeRef& v) { return isa<ir::IntAttr>(v); }},
    {OptionKind::Text, "a text", [](const NodeRef& v) { return isa<ir::StrAttr>(v); }},
    {OptionKind::TextList, "a list of texts", isTextList},
    {OptionKind::Dict, "a dictionary", [](const NodeRef& v) { return isa<ir::DictAttrs>(v); }},
    {OptionKind::Any, "a value", [](const NodeRef&) { return true; }},
};

}  // namespace

const char* misfit(OptionKind kind, const NodeRef& value) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& each) { return each.kind == kind; });
  return row == std::end(kKinds) || row->accepts(value) ? nullptr : row->name;
}

NodeRef fallbackOf(const OptionSpec& spec) {
  size_t at = 0;
  const Result<NodeRef> value = readLiteral(spec.fallback, at);
  return value && !isa<ir::NullAttr>(*value) ? *value : nullptr;
}

ir::Attrs withFallbacks(std::span<const OptionSpec> specs, const ir::Attrs& options) {
  ir::Attrs all = options;
  for (const OptionSpec& spec : specs) {
    const NodeRef given = ir::attrOf(options, spec.name);
    if (given && (spec.kind == OptionKind::Any || !isa<ir::NullAttr>(given))) continue;
    if (const NodeRef fallback = fallbackOf(spec)) all = ir::withAttr(all, spec.name, fallback);
  }
  return all;
}

bool flagOf(const ir::Attrs& options, std::string_view name) { return ir::boolAttrOf(options, name, false); }
int64_t numberOf(const ir::Attrs& options, std::string_view name) { return ir::intAttrOf(options, name, 0); }

std::vector<std::string_view> textsOf(const ir::Attrs& options, std::string_view name) {
  std::vector<std::string_view> texts;
  const NodeRef value = ir::attrOf(options, name);
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i)
    if (const auto* text = as<ir::StrAttr>(list->items[i])) texts.push_back(text->value.view());
  return texts;
}

}  // namespace rx::pass
