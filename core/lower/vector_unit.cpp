#include "core/lower/vector_unit.h"

#include <algorithm>

#include "core/lower/function_target.h"

namespace rx::lower {

VectorUnit vectorUnitOf(const target::Target& target) {
  const NodeRef features = ir::attrOf(target.attrs(), "mattr");
  const auto has = [&](std::string_view name) {
    const auto* list = as<ir::ArrayAttr>(features);
    return list && std::ranges::any_of(list->items, [&](const NodeRef& item) {
             const auto* text = as<ir::StrAttr>(item);
             return text && text->value.view() == name;
           });
  };
  const bool riscv = target.text("mtriple").starts_with("riscv") && has("+v");
  const bool sve = target.number("feature.has_sve").value_or(0) != 0;
  return {sve || has("+sve") || riscv, riscv};
}

VectorUnit vectorUnitOf(const NodeRef& target) {
  const Result<target::TargetRef> known = target::targetOf(target);
  return known && *known ? vectorUnitOf(**known) : VectorUnit{};
}

VectorUnit vectorUnitOf(const tir::PrimFunc& function, const pass::PassContext& context) {
  const Result<target::TargetRef> own = targetOf(function);
  const target::TargetRef& target = own && *own ? *own : context.target;
  return target ? vectorUnitOf(*target) : VectorUnit{};
}

}  // namespace rx::lower
