#include "core/analysis/nested_layout.h"

#include <algorithm>

#include "core/support/stack.h"

namespace rx::analysis {

NLayout initialNLayout(const relax::StructInfo& info) {
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
    const auto layout = initialLayout(tensor->ndim);
    return layout ? NLayout(*layout) : NLayout();
  }
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return {};
  std::vector<NLayout> items;
  for (const relax::StructInfo& item : tuple->items) items.push_back(withStack([&] { return initialNLayout(item); }));
  return NLayout(std::move(items));
}

NLayout layoutOf(const LayoutMap& layouts, const relax::Expr& expr) {
  if (const auto* tuple = as<relax::Tuple>(expr)) {
    std::vector<NLayout> items;
    for (const relax::Expr& item : tuple->items) {
      items.push_back(withStack([&] { return layoutOf(layouts, item); }));
    }
    return NLayout(std::move(items));
  }
  if (const auto* var = as<relax::Var>(expr)) {
    auto known = layouts.find(var);
    return known == layouts.end() ? initialNLayout(var->sinfo) : known->second;
  }
  return isa<relax::Constant>(expr) ? initialNLayout(expr->sinfo) : NLayout();
}

bool hasUnknown(const NLayout& layout) {
  if (layout.form != NLayout::Form::Tuple) return layout.form == NLayout::Form::Unknown;
  return std::ranges::any_of(layout.items,
                             [](const NLayout& item) { return withStack([&] { return hasUnknown(item); }); });
}

bool isNestedTensor(const relax::StructInfo& info) {
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return isa<relax::TensorStructInfo>(info);
  return std::ranges::all_of(
      tuple->items, [](const relax::StructInfo& item) { return withStack([&] { return isNestedTensor(item); }); });
}

}  // namespace rx::analysis
