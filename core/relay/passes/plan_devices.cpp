#include "core/relay/passes/device_planning.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// The mark of a value that constrains only what it is around.
std::optional<OnDevice> bodyMarkOf(const Expr& expr) {
  auto mark = onDeviceOf(expr);
  return mark && mark->constrainsBody && !mark->constrainsResult ? mark : std::nullopt;
}

/// Marks move from tuples to their items, and bind the variable or function whose value they are around.
Expr settleMarks(const NodeRef& root, DeviceConfig& config) {
  auto fixed = [&](const Expr& expr) {
    const auto mark = bodyMarkOf(expr);
    return mark ? fixedOn(mark->body, mark->device, config) : expr;
  };
  auto settle = [&](const NodeRef&, const NodeRef& now) -> NodeRef {
    std::vector<Expr> operands;
    appendOperands(*now, operands);
    if (const auto* item = as<TupleGetItem>(now)) {
      const Expr tuple = item->tuple;
      return bodyMarkOf(tuple) ? withOperands(tuple, std::vector<Expr>{refAs<TupleGetItem>(now), as<Call>(tuple)->op})
                               : Expr(item);
    }
    if (!isa<Let>(now) && !isa<Function>(now)) return now;
    operands[0] = fixed(operands[0]);
    return withOperands(refAs<relax::ExprNode>(now), operands);
  };
  return refAs<relax::ExprNode>(rewriteGraph(root, nullptr, settle));
}

}  // namespace

std::vector<FunctionRef> openFunctions(const ir::Module& module) {
  std::vector<FunctionRef> out;
  for (const auto& [name, function] : module->entries()) {
    auto relay = refAs<Function>(function);
    if (relay && isOpen(*relay)) out.push_back(std::move(relay));
  }
  return out;
}

Result<ir::Module> planDevices(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(config, DeviceConfig::parse(ir::strAttrOf(given, "config")));
  RX_TRY(settled, onFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
           return refAs<Function>(settleMarks(function, config));
         }));
  RX_TRY(copying, copyBetweenDevices(settled, config, context));
  RX_TRY(typed, inferTypes(copying, context.cancel));
  DeviceDomains domains(config);
  analyzeDevices(typed, domains);
  if (!domains.refusal()) completeDevices(typed, domains, config.fallback());
  if (domains.refusal()) return fail(*domains.refusal());
  return captureDevices(typed, domains, config, context);
}

}  // namespace rx::relay
