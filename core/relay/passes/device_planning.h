// The steps of PlanDevices over the functions of a module. Private to core/relay.
#pragma once

#include "core/ir/module.h"
#include "core/pass/pass.h"
#include "core/relay/passes/device_domains.h"

namespace rx::relay {

/// The functions of Relay that passes may change.
std::vector<FunctionRef> openFunctions(const ir::Module& module);
/// The operands of an expression in the order in which a reader meets them: what is called before its arguments.
std::vector<Expr> operandsInOrder(const Expr& expr);

/// Copies between devices where one value is used on several.
Result<ir::Module> copyBetweenDevices(const ir::Module& module, DeviceConfig& config, pass::PassContext& context);

/// What the expressions of a typed module say of their devices.
void analyzeDevices(const ir::Module& module, DeviceDomains& domains);
/// Places what is open: first as the marks without constraint suggest, then on the device of what holds it.
void completeDevices(const ir::Module& module, DeviceDomains& domains, const Device& fallback);

/// The module with marks, copies and annotations as the domains say.
Result<ir::Module> captureDevices(const ir::Module& module, DeviceDomains& domains, DeviceConfig& config,
                                  pass::PassContext& context);

}  // namespace rx::relay
