// CanonicalizeCast: a widening cast that several elementwise operators read is made once for each of them, so that
// fusion hands the narrow tensor from function to function.
#include <unordered_set>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

bool isWidening(const Expr& expr) {
  if (!isCallOf(expr, "cast")) return false;
  const auto* call = as<Call>(expr);
  const TensorType* from = tensorOf(call->args[0]);
  const TensorType* to = tensorOf(expr);
  return from && to && from->dtype.bits < to->dtype.bits;
}

}  // namespace

Result<ir::Module> canonicalizeCast(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    std::unordered_set<const Node*> taken;  // casts that have a reader already
    auto rewritten = [&](const Call& before, const Ref<Call>& now, const OpRow& row) -> Expr {
      if (row.pattern > OpPattern::Broadcast) return nullptr;
      std::vector<Expr> args(now->args.begin(), now->args.end());
      bool changed = false;
      for (size_t i = 0; i < args.size(); ++i) {
        if (!isWidening(before.args[i]) || taken.insert(before.args[i].get()).second) continue;
        args[i] = make<Call>(*as<Call>(args[i]));
        changed = true;
      }
      return changed ? make<Call>(now->op, Array<Expr>(std::move(args)), now->attrs) : nullptr;
    };
    return refAs<Function>(rewriteCalls(function, rewritten));
  });
}

}  // namespace rx::relay
