// AttachVariableBounds: functions say between which sizes their symbolic variables are, as passes that plan memory and
// who checks arguments want to know. MLC LLM's pass of that name takes the same map.
#include <fmt/format.h>

#include "core/analysis/symbols.h"
#include "core/build/module_context.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct BoundOption {
  const char* option;
  const char* attribute;
};
constexpr BoundOption kBounds[] = {{"variable_bounds", "tir_var_upper_bound"}, {"lower_bounds", "tir_var_lower_bound"}};

/// The dictionary with the entries of another over it, as far as the names are symbols of the function.
Result<ir::Attrs> joined(const ir::Attrs& attrs, const BoundOption& row, const ir::DictAttrs& map,
                         std::span<const analysis::Symbol> symbols, std::unordered_set<std::string_view>& used) {
  ir::Attrs bounds = refAs<ir::DictAttrs>(ir::attrOf(attrs, row.attribute));
  bool any = false;
  for (size_t i = 0; i < map.keys.size(); ++i) {
    const std::string_view name = map.keys[i].view();
    const auto* number = as<ir::IntAttr>(map.values[i]);
    if (!number || number->value < 0)
      return fail("pass.option-value", fmt::format("{}: {} is bound by a number from 0 on", row.option, name));
    if (std::ranges::none_of(symbols, [&](const analysis::Symbol& symbol) { return symbol.var->name.view() == name; }))
      continue;
    used.insert(name);
    bounds = ir::withAttr(bounds, map.keys[i], ir::intAttr(number->value));
    any = true;
  }
  return any ? ir::withAttr(attrs, row.attribute, bounds) : attrs;
}

}  // namespace

Result<ir::Module> attachVariableBounds(const ir::Module& module, const ir::Attrs& options_,
                                        pass::PassContext& context) {
  std::unordered_set<std::string_view> used;
  build::ModuleContext moduleContext(module);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const auto* relaxFunction = as<relax::Function>(function);
    if (!relaxFunction) continue;
    const std::vector<analysis::Symbol> symbols = analysis::symbolTable(*relaxFunction);
    ir::Attrs attrs = relaxFunction->attrs;
    for (const BoundOption& row : kBounds) {
      const NodeRef value = ir::attrOf(options_, row.option);
      const auto* map = as<ir::DictAttrs>(value);
      if (!map) continue;
      RX_TRY(now, joined(attrs, row, *map, symbols, used));
      attrs = now;
    }
    if (attrs != relaxFunction->attrs) moduleContext.update(var, ir::withFunctionAttrs(function, attrs));
  }
  for (const BoundOption& row : kBounds) {
    const NodeRef value = ir::attrOf(options_, row.option);
    const auto* map = as<ir::DictAttrs>(value);
    for (size_t i = 0; map && i < map->keys.size(); ++i)
      if (!used.contains(map->keys[i].view()))
        return fail("pass.symbol", fmt::format("there is no symbolic variable {} to bound", map->keys[i].view()));
  }
  return moduleContext.module();
}

}  // namespace rx::transform
