#include "core/ir/reflect.h"
#include "core/relay/device.h"
#include "core/relay/passes/to_relax_function.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// What a function does by itself, and the functions that it calls or holds.
struct Doings {
  bool effects = false;
  std::vector<const Node*> uses;
};

/// Functions as they are called: by a global name, or by the variable that they are bound to.
class Callees {
 public:
  explicit Callees(const ir::IRModule& module) : module_(module) {}
  void bind(const Let& let) {
    if (const Expr value = unplaced(let.value); isa<Function>(value)) bound_.emplace(let.var.get(), value.get());
  }
  /// Null where nobody knows.
  const Node* of(const Expr& callee) const {
    if (isa<Function>(callee)) return callee.get();
    const auto* global = as<relax::GlobalVar>(callee);
    if (global) return module_.find(global->name.view()).get();
    const auto hit = bound_.find(callee.get());
    return hit == bound_.end() ? nullptr : hit->second;
  }

 private:
  const ir::IRModule& module_;
  std::unordered_map<const Node*, const Node*> bound_;
};

/// `node` is a part of the function, not of one in it.
void note(const Node& node, const Callees& callees, Doings& doings) {
  doings.effects = doings.effects || isa<RefCreate>(&node) || isa<RefRead>(&node) || isa<RefWrite>(&node);
  const auto* match = as<Match>(&node);
  doings.effects = doings.effects || (match && !match->complete);  // which may fail
  const auto* call = as<Call>(&node);
  if (!call || isa<Op>(call->op) || isa<Constructor>(call->op)) return;
  const Node* callee = callees.of(call->op);
  if (callee) {
    doings.uses.push_back(callee);
  } else {
    doings.effects = true;
  }
}

/// Notes what `function` does, and which functions stand in it.
Doings doingsOf(const Function& function, const Callees& callees, std::vector<const Function*>& inner) {
  Doings doings;
  walkOnce(function, Into::Parts, [&](const Node& node) {
    const auto* other = as<Function>(&node);
    if (other && other != &function) {
      inner.push_back(other);
      doings.uses.push_back(other);
      return false;
    }
    note(node, callees, doings);
    return true;
  });
  return doings;
}

}  // namespace

Effects::Effects(const ir::IRModule& module) : module_(module) {
  Callees callees(module);
  std::vector<const Function*> functions;
  for (const ir::BaseFunc& each : module.functions) {
    const auto* function = as<Function>(each);
    if (!function) continue;
    functions.push_back(function);
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      if (const auto* let = as<Let>(&node)) callees.bind(*let);
      return true;
    });
  }
  std::unordered_map<const Node*, std::vector<const Node*>> users;
  std::vector<const Node*> waiting;
  std::unordered_set<const Node*> met;
  while (!functions.empty()) {
    const Function* function = functions.back();
    functions.pop_back();
    if (!met.insert(function).second) continue;
    const Doings doings = doingsOf(*function, callees, functions);
    for (const Node* used : doings.uses) users[used].push_back(function);
    if (doings.effects) waiting.push_back(function);
  }
  while (!waiting.empty()) {
    const Node* function = waiting.back();
    waiting.pop_back();
    if (!impure_.insert(function).second) continue;
    for (const Node* user : users[function]) waiting.push_back(user);
  }
}

bool Effects::isPure(std::string_view global) const { return !impure_.contains(module_.find(global).get()); }

}  // namespace rx::relay
