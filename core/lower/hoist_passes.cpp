// HoistExpression and HoistIfThenElse: conditions and bindings in front of the loops that do not change them.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/hoist.h"
#include "core/lower/pass_functions.h"
#include "core/pass/config.h"

namespace rx::lower {

using tir::PrimFuncRef;

namespace {

/// Hoists, then simplifies by what the new branches say, and drops what is left empty.
Result<PrimFuncRef> hoist(const PrimFuncRef& func, Scope& scope, HoistKinds kinds) {
  Result<PrimFuncRef> simplified = stmtSimplify(withBody(func, hoisted(func->body, kinds)), scope);
  return simplified ? removeNoOp(*simplified, scope) : simplified;
}

}  // namespace

Result<PrimFuncRef> hoistExpression(const PrimFuncRef& func, Scope& scope) {
  const auto kinds = [&](std::string_view field) {
    return pass::configNumber(scope.context, "s_tir.HoistExpression", field);
  };
  return hoist(func, scope, {kinds("hoisted_conditionals"), kinds("hoisted_let_bindings")});
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
  } else if (variant.empty() &&
             pass::configFlag(scope.context, "s_tir.HoistIfThenElse", "support_block_scope_hoisting")) {
    kinds.conditionals |= HoistKinds::kOverBlocks;
  }
  return hoist(func, scope, kinds);
}

}  // namespace rx::lower
