#include "core/relay/passes/to_relax_function.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// What a function does by itself, and the functions of the module that it calls.
struct Doings {
  bool effects = false;
  std::vector<std::string_view> calls;
};

Doings doingsOf(const Function& function) {
  Doings doings;
  std::unordered_set<const Node*> literals;
  const std::vector<Expr> order = postOrder(Expr(&function));
  for (const Expr& expr : order) {
    const auto* let = as<Let>(expr);
    if (let && isa<Function>(let->value)) literals.insert(let->var.get());
  }
  for (const Expr& expr : order) {
    doings.effects = doings.effects || isa<RefCreate>(expr) || isa<RefRead>(expr) || isa<RefWrite>(expr);
    const auto* match = as<Match>(expr);
    doings.effects = doings.effects || (match && !match->complete);  // which may fail
    const auto* call = as<Call>(expr);
    if (!call || isa<Op>(call->op) || isa<Constructor>(call->op)) continue;
    if (const auto* global = as<relax::GlobalVar>(call->op)) {
      doings.calls.push_back(global->name.view());
    } else if (!literals.contains(call->op.get())) {
      doings.effects = true;
    }
  }
  return doings;
}

}  // namespace

Effects::Effects(const ir::IRModule& module) {
  std::unordered_map<std::string_view, std::vector<std::string_view>> callers;
  std::vector<std::string_view> waiting;
  for (size_t i = 0; i < module.size(); ++i) {
    const auto* function = as<Function>(module.functions[i]);
    if (!function) continue;
    const std::string_view name = module.vars[i]->name.view();
    Doings doings = doingsOf(*function);
    for (std::string_view called : doings.calls) callers[called].push_back(name);
    if (doings.effects) waiting.push_back(name);
  }
  while (!waiting.empty()) {
    const std::string_view name = waiting.back();
    waiting.pop_back();
    if (!impure_.emplace(name).second) continue;
    for (std::string_view caller : callers[name]) waiting.push_back(caller);
  }
}

bool Effects::isPure(const Function& function) const {
  const Doings doings = doingsOf(function);
  if (doings.effects) return false;
  for (std::string_view called : doings.calls) {
    if (impure_.contains(std::string(called))) return false;
  }
  return true;
}

}  // namespace rx::relay
