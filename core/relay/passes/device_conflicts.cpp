#include <unordered_set>

#include "core/relay/passes/device_planning.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// The devices that marks and copies give to calls and arguments, from the results to the arguments.
class Conflicts {
 public:
  /// Goes over a function; false where a copy ends on another device than its use.
  bool find(const FunctionRef& function) {
    std::vector<Expr> todo{function};
    while (!todo.empty()) {
      const Expr expr = todo.back();
      todo.pop_back();
      if (!seen_.insert(expr.get()).second) continue;
      if (isa<Call>(expr) && !visit(refAs<Call>(expr))) return false;
      std::vector<Expr> operands = operandsInOrder(expr);
      if (isa<Call>(expr)) operands.erase(operands.begin());
      todo.insert(todo.end(), operands.rbegin(), operands.rend());
    }
    return true;
  }
  bool at(const Expr& expr) const { return conflicted_.contains(expr.get()) && !isCallOf(expr, "on_device"); }
  Device deviceOf(const Expr& expr) const {
    const auto hit = devices_.find(expr.get());
    return hit == devices_.end() ? Device{} : hit->second;
  }

 private:
  bool visit(const Ref<Call>& call) {
    Device result = deviceOf(call), body = result;
    const auto mark = onDeviceOf(call);
    if (mark) {
      if (mark->constrainsBody) body = mark->device;
      if (mark->constrainsResult) result = mark->device;
    } else if (const auto copy = deviceCopyOf(call)) {
      body = copy->from;
      result = copy->to;
    }
    if (!update(call, result) && !mark) return false;
    for (const Expr& arg : call->args) {
      if (!update(arg, body)) conflicted_.insert(arg.get());
    }
    return true;
  }
  bool update(const Expr& expr, const Device& device) {
    Device& known = devices_[expr.get()];
    const auto both = joined(known, device);
    if (both) known = *both;
    return both.has_value();
  }

  std::unordered_map<const Node*, Device> devices_;
  std::unordered_set<const Node*> conflicted_, seen_;
};

}  // namespace

Result<ir::Module> copyBetweenDevices(const ir::Module& module, DeviceConfig& config, pass::PassContext& context) {
  Conflicts conflicts;
  for (const FunctionRef& function : openFunctions(module)) {
    if (!conflicts.find(function)) {
      return fail("relay.devices", "a device_copy ends on another device than the one of its use");
    }
  }
  auto rewriteCall = [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
    if (!isa<Call>(before)) return now;
    std::vector<Expr> operands;
    appendOperands(*now, operands);
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
      if (!conflicts.at(operands[i])) continue;
      const auto from = config.canonical(conflicts.deviceOf(operands[i]));
      const auto to = config.canonical(conflicts.deviceOf(refAs<Call>(before)));
      if (from && to && !(*from == *to)) operands[i] = copied(operands[i], *from, *to, config);
    }
    return withOperands(refAs<Call>(now), operands);
  };
  return onFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return refAs<Function>(rewriteGraph(function, nullptr, rewriteCall));
  });
}

}  // namespace rx::relay
