// RemoveStandaloneReshapes: a kernel that does nothing but reshape what another kernel gave is not called. The variable
// of its result is bound to the call of that other kernel instead, whose memory it then names in its own shape.
#include <unordered_map>

#include "core/relay/device.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Whether the lowering marked the kernel as one that only reshapes.
bool isReshapeOnly(const Call& call) {
  const auto metadata = refAs<ir::DictAttrs>(attrOf(call, "metadata"));
  auto marks = refAs<ir::DictAttrs>(ir::attrOf(metadata, "relay_attrs"));
  if (const NodeRef inside = ir::attrOf(marks, "__dict__")) marks = refAs<ir::DictAttrs>(inside);
  return ir::intAttrOf(marks, "relay.reshape_only", 0) != 0;
}

}  // namespace

Result<ir::Module> removeStandaloneReshapes(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  const auto main = refAs<Function>(typed->find("main"));
  if (!main) return fail("pass.unknown-function", "there is no function @main");
  const std::vector<Expr> order = postOrder(main);
  std::unordered_map<const Node*, const Let*> lets;
  for (const Expr& expr : order)
    if (const auto* let = as<Let>(expr)) lets.emplace(let->var.get(), let);
  std::unordered_map<const Node*, Expr> by;  // values come before what reads their variables
  for (const Expr& expr : order) {
    const auto* call = isCallOf(expr, "call_lowered") ? as<Call>(expr) : nullptr;
    const auto* args = call && isReshapeOnly(*call) ? as<Tuple>(call->args[1]) : nullptr;
    const auto let = args && !args->items.empty() ? lets.find(args->items[0].get()) : lets.end();
    const auto placed = let == lets.end() ? std::nullopt : onDeviceOf(let->second->value);
    if (!placed || !isCallOf(placed->body, "call_lowered")) continue;
    const auto earlier = by.find(placed->body.get());
    by.emplace(call, earlier == by.end() ? placed->body : earlier->second);
  }
  if (by.empty()) return module;
  auto* changed = new Function(*main);
  changed->body = replaceExprs(main->body, by);
  auto entries = typed->entries();
  for (auto& [name, function] : entries)
    if (name->name.view() == "main") function = FunctionRef(changed);
  const auto entry = ir::withAttr(nullptr, "entry_functions", ir::arrayAttr({ir::strAttr("main")}));
  RX_TRY(kept, removeUnusedFunctions(typed->with(std::move(entries)), entry, context));
  return inferTypes(kept, context.cancel);
}

}  // namespace rx::relay
