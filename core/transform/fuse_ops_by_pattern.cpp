// FuseOpsByPattern: what a dataflow pattern matches becomes a function of its own, with the pattern's name as
// Composite.
#include <fmt/format.h>

#include "core/pass/options.h"
#include "core/transform/composite_functions.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct NamedPattern {
  Str name;
  analysis::DataflowPattern pattern;
};

/// {"name": text, "pattern": text, "annotation_patterns": {label: name in the pattern}}, or a list of these values.
Result<NamedPattern> readNamed(const NodeRef& option) {
  const auto* dict = as<ir::DictAttrs>(option);
  const auto* list = as<ir::ArrayAttr>(option);
  auto part = [&](size_t index, std::string_view key) -> NodeRef {
    if (dict) return dict->get(key);
    return list && index < list->items.size() ? list->items[index] : nullptr;
  };
  const NodeRef nameAttr = part(0, "name"), textAttr = part(1, "pattern"), labels = part(2, "annotation_patterns");
  const auto* name = as<ir::StrAttr>(nameAttr);
  const auto* text = as<ir::StrAttr>(textAttr);
  if (!name || !text) {
    return fail("pass.option-value", "a pattern is {\"name\": \"dnnl.relu\", \"pattern\": \"is_op(...)(...)\"}");
  }
  RX_TRY(pattern, patternOption(text->value.view(), name->value.view()));
  const auto* named = as<ir::DictAttrs>(labels);
  for (size_t i = 0; named && i < named->size(); ++i) {
    const auto* target = as<ir::StrAttr>(named->values[i]);
    if (target && pattern.named(target->value.view())) continue;
    return fail("pass.option-value", fmt::format("annotation_patterns of {}: {} names no part of the pattern",
                                                 name->value.view(), named->keys[i].view()));
  }
  return NamedPattern{name->value, std::move(pattern)};
}

/// The functions that the options name; none where they name none.
Result<std::vector<relax::GlobalVarRef>> entriesOf(const ir::Module& module, const NodeRef& option) {
  std::vector<relax::GlobalVarRef> entries;
  const auto* names = as<ir::ArrayAttr>(option);
  for (size_t i = 0; names && i < names->items.size(); ++i) {
    const auto* name = as<ir::StrAttr>(names->items[i]);
    relax::GlobalVarRef var = name ? module->findVar(name->value.view()) : nullptr;
    if (!var || !isa<relax::Function>(module->find(var.get()))) {
      return fail("pass.unknown-function", fmt::format("entry_functions names {}, which is no Relax function",
                                                       name ? name->value.view() : "what is no text"));
    }
    entries.push_back(std::move(var));
  }
  return entries;
}

}  // namespace

Result<ir::Module> fuseOpsByPattern(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  std::vector<NamedPattern> patterns;
  const NodeRef list = ir::attrOf(options_, "patterns");
  if (const auto* items = as<ir::ArrayAttr>(list)) {
    for (const NodeRef& item : items->items) {
      RX_TRY(named, readNamed(item));
      patterns.push_back(std::move(named));
    }
  }
  const NodeRef names = ir::attrOf(options_, "entry_functions");
  const bool bind = pass::flagOf(options_, "bind_constants");
  ir::Module now = module;
  for (const NamedPattern& named : patterns) {
    RX_TRY(entries, entriesOf(now, names));
    RX_TRY(grouped, groupByPattern(now, {named.name, named.pattern},
                                   {.pass = "FuseOpsByPattern", .liftConstants = !bind, .entries = entries}, context));
    now = grouped;
  }
  return pass::flagOf(options_, "annotate_codegen") ? annotateCodegen(now, context) : Result<ir::Module>(now);
}

}  // namespace rx::transform
