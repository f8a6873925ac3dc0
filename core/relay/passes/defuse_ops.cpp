// DefuseOps: the inverse of FuseOps. Where a function is called that stands at its call, its body takes the place of
// the call.
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

NodeRef unfolded(const NodeRef&, const NodeRef& now) {
  const auto* call = as<Call>(now);
  const auto* function = call ? as<Function>(call->op) : nullptr;
  if (!function || call->args.size() != function->params.size()) return now;
  std::unordered_map<const Node*, Expr> argOf;
  for (size_t i = 0; i < call->args.size(); ++i) argOf.emplace(function->params[i].get(), call->args[i]);
  // Arguments are put in as they are and not entered: the work is that of the bodies.
  return rewriteGraph(
      function->body,
      [&](const NodeRef& node) -> NodeRef {
        const auto hit = argOf.find(node.get());
        return hit == argOf.end() ? nullptr : NodeRef(hit->second);
      },
      nullptr);
}

}  // namespace

Result<ir::Module> defuseOps(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    return refAs<Function>(rewriteGraph(function, nullptr, unfolded));
  });
}

}  // namespace rx::relay
