#include "core/relay/passes/device_planning.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Writes the devices of one function down.
class Capture {
 public:
  Capture(DeviceDomains& domains, DeviceConfig& config) : domains_(domains), config_(config) {}

  FunctionRef run(const FunctionRef& root) {
    for (const Expr& expr : postOrder(root)) {
      const auto* function = as<Function>(expr);
      if (function && !isPrimitive(*function)) annotateParams(*function);
    }
    return refAs<Function>(rewriteGraph(
        root, [&](const NodeRef& node) { return kept(node); },
        [&](const NodeRef& before, const NodeRef& now) { return rewritten(before, now); }));
  }

 private:
  static bool isPrimitive(const Function& function) { return ir::intAttrOf(function.attrs, "Primitive", 0) != 0; }

  void annotateParams(const Function& function) {
    const std::vector<DeviceDomains::Id> parts = domains_.parts(domains_.of(Expr(&function)));
    for (size_t i = 0; i < function.params.size(); ++i) {
      Var* annotated = new Var(*function.params[i]);
      annotated->virtualDevice = config_.record(domains_.result(parts[i]));
      params_[function.params[i].get()] = VarRef(annotated);
    }
  }
  NodeRef kept(const NodeRef& node) const {
    if (const auto hit = params_.find(node.get()); hit != params_.end()) return hit->second;
    const auto* function = as<Function>(node);
    return function && isPrimitive(*function) ? node : nullptr;
  }

  /// The device of a value, past its marks.
  const Device& of(const Expr& expr) {
    const auto mark = onDeviceOf(expr);
    return mark ? of(mark->body) : domains_.result(domains_.of(expr));
  }
  /// A child as its parent needs it: `expected` where the parent takes it, `lexical` where it would lie unmarked.
  Expr child(const Expr& before, const Expr& now, const Device& expected, const Device& lexical) {
    if (isa<Op>(before) || isa<Constructor>(before)) return now;
    Expr out = now;
    const Device& own = of(before);
    if (!(own == expected)) out = copied(fixedOn(out, own, config_), own, expected, config_);
    return expected == lexical ? out : fixedOn(out, expected, config_);
  }

  NodeRef rewritten(const NodeRef& before, const NodeRef& now) {
    const auto expr = refAs<relax::ExprNode>(before);
    if (!expr) return now;
    std::vector<Expr> operands, rebuilt;
    appendOperands(*before, operands);
    appendOperands(*now, rebuilt);
    if (operands.empty()) return now;
    if (const auto* function = as<Function>(before)) return this->function(*function, *as<Function>(now));
    if (onDeviceOf(expr)) return rebuilt[0];
    if (const auto copy = deviceCopyOf(expr)) return this->copy(*copy, rebuilt[0]);
    std::vector<DeviceDomains::Id> params;
    if (isa<Call>(expr)) params = domains_.parts(domains_.ofCallee(refAs<Call>(before)));
    const Device own = of(expr);
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool isLetValue = i == 0 && isa<Let>(expr);
      Device expected = own;
      if (i + 1 < params.size()) expected = domains_.result(params[i]);
      if (isLetValue) expected = of(as<Let>(expr)->var);
      rebuilt[i] = child(operands[i], rebuilt[i], expected, isLetValue ? Device{} : own);
    }
    return withOperands(refAs<relax::ExprNode>(now), rebuilt);
  }
  Expr copy(const DeviceCopy& copy, const Expr& now) {
    const Device from = config_.canonical(copy.from).value_or(copy.from);
    const Device to = config_.canonical(copy.to).value_or(copy.to);
    return from == to ? now : copied(fixedOn(now, from, config_), from, to, config_);
  }
  FunctionRef function(const Function& before, const Function& now) {
    const Device result = domains_.result(domains_.of(Expr(&before)));
    Function* out = new Function(now);
    out->body = child(before.body, now.body, result, result);
    out->virtualDevice = config_.record(result);
    return FunctionRef(out);
  }

  DeviceDomains& domains_;
  DeviceConfig& config_;
  std::unordered_map<const Node*, NodeRef> params_;
};

}  // namespace

Result<ir::Module> captureDevices(const ir::Module& module, DeviceDomains& domains, DeviceConfig& config,
                                  pass::PassContext& context) {
  return onFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return Capture(domains, config).run(function);
  });
}

}  // namespace rx::relay
