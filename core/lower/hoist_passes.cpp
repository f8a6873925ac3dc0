// HoistExpression and HoistIfThenElse: conditions and bindings in front of the loops that do not change them.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/hoist.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using tir::PrimFuncRef;

namespace {

/// Hoists, then simplifies by what the new branches say, and drops what is left empty.
Result<PrimFuncRef> hoist(const PrimFuncRef& func, Scope& scope, HoistKinds kinds) {
  Result<PrimFuncRef> simplified = stmtSimplify(withBody(func, hoisted(func->body, kinds)), scope);
  return simplified ? removeNoOp(*simplified, scope) : simplified;
}

int64_t fieldOf(const Scope& scope, std::string_view key, std::string_view name, int64_t fallback) {
  const NodeRef value = configField(scope.context, key, name);
  if (const auto* number = as<ir::IntAttr>(value)) return number->value;
  const auto* truth = as<ir::BoolAttr>(value);
  return truth ? (truth->value ? 1 : 0) : fallback;
}

}  // namespace

Result<PrimFuncRef> hoistExpression(const PrimFuncRef& func, Scope& scope) {
  HoistKinds kinds;
  kinds.conditionals = fieldOf(scope, "s_tir.HoistExpression", "hoisted_conditionals", kinds.conditionals);
  kinds.bindings = fieldOf(scope, "s_tir.HoistExpression", "hoisted_let_bindings", kinds.bindings);
  return hoist(func, scope, kinds);
}

/// Conditions of branches alone. A function may ask for its choices instead, over blocks of threads too.
Result<PrimFuncRef> hoistIfThenElse(const PrimFuncRef& func, Scope& scope) {
  const std::string_view variant = ir::strAttrOf(scope.options, "variant");
  if (!variant.empty() && variant != "basic") {
    return fail("pass.option-kind", fmt::format("variant is 'basic' or none, not '{}'", variant));
  }
  HoistKinds kinds{HoistKinds::kBranch, 0};
  if (variant.empty() && ir::intAttrOf(func->attrs, "tirx.HoistIfThenElseExprWithBlock", 0) == 1) {
    kinds.conditionals = HoistKinds::kOverBlocks | HoistKinds::kChoice;
  } else if (variant.empty() && fieldOf(scope, "s_tir.HoistIfThenElse", "support_block_scope_hoisting", 0) != 0) {
    kinds.conditionals |= HoistKinds::kOverBlocks;
  }
  return hoist(func, scope, kinds);
}

}  // namespace rx::lower
