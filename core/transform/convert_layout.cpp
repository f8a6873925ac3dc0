// ConvertLayout: in dataflow blocks, operators get the layouts that are asked for, and those behind them follow as far
// as they can; what others see of a block stays as it was.
#include <fmt/format.h>

#include "core/transform/cleanup.h"
#include "core/transform/layout_converter.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// The option `desired_layouts`.
Result<analysis::DesiredLayouts> desiredLayouts(const ir::Attrs& options) {
  analysis::DesiredLayouts desired;
  const NodeRef given = ir::attrOf(options, "desired_layouts");
  const auto* dict = as<ir::DictAttrs>(given);
  for (size_t i = 0; dict && i < dict->size(); ++i) {
    const auto* list = as<ir::ArrayAttr>(dict->values[i]);
    std::vector<analysis::LayoutText> layouts;
    for (size_t j = 0; list && j < list->items.size(); ++j) {
      const auto* text = as<ir::StrAttr>(list->items[j]);
      if (text) layouts.push_back(text->value.string());
    }
    if (!list || layouts.size() != list->items.size()) {
      return fail("pass.option-value", fmt::format("the layouts of {} are a list of texts", dict->keys[i].view()));
    }
    desired.emplace(dict->keys[i].string(), std::move(layouts));
  }
  return desired;
}

}  // namespace

Result<ir::Module> convertLayout(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  if (const NodeRef chooser = ir::attrOf(options_, "layout_cb"); chooser && !isa<ir::NullAttr>(chooser)) {
    return fail("pass.option-value", "layout_cb is a function of Python, which no text can name: it stays None");
  }
  RX_TRY(desired, desiredLayouts(options_));
  const LayoutWishes wishes{[&](const relax::Call&) -> const analysis::DesiredLayouts& { return desired; },
                            analysis::layoutRule};
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return withLayouts("ConvertLayout", function, moduleContext, wishes, context.remarks);
                          });
}

}  // namespace rx::transform
