// How kernels for processors are scheduled: blocks that reduce nothing inlined into one another, then rules for what is
// left, stage by stage.
#pragma once

#include <span>

#include "core/schedule/host_rules.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using HostRules = std::vector<const HostRuleRow*>;
/// The rules of these names. Fails with pass.option-value where the value is no list of them.
Result<HostRules> hostRulesOf(const NodeRef& names);

/// A kernel whose body is a block. The outcome may say of some of its blocks why they stay as they are.
Result<Outcome> hostSchedule(const tir::PrimFuncRef& kernel, const HostRules& rules, const VectorShape& vectors);

}  // namespace rx::schedule
