// Rules: what schedules a kernel by its shape, with the names of TVM's default schedules, one file a rule.
#pragma once

#include "core/schedule/schedule.h"
#include "core/support/result.h"
#include "core/target/target.h"

namespace rx::schedule {

/// What a rule is asked.
struct RuleInput {
  tir::PrimFuncRef kernel;
  const target::Target& target;
  int64_t option = 0;  ///< the number that the rule takes, where it does
};

/// What a rule has made of a kernel.
struct Outcome {
  tir::PrimFuncRef kernel;  ///< null where the rule does not apply
  std::string why;          ///< the condition that failed then
  Trace trace;              ///< how it was made
};
inline Outcome notApplied(std::string why) { return {nullptr, std::move(why), {}}; }
inline Outcome applied(const Schedule& schedule) { return {schedule.function(), {}, schedule.trace()}; }

/// One rule of default schedules.
struct RuleRow {
  const char* name;  ///< as TVM has it, behind the module that it is in: "gpu.Fallback"
  const char* help;
  bool (*takes)(const target::Target& target);
  /// Fails where a primitive refuses what the rule has taken for one of its kernels.
  Result<Outcome> (*apply)(const RuleInput& input);
  const char* option;  ///< the positive number that it takes; empty: none
  int64_t fallback;    ///< what that is when left out
};
std::span<const RuleRow> ruleRows();
/// The row of that name; null where there is none.
const RuleRow* findRule(std::string_view name);

#define RX_RULE(name, function, takes, option, fallback, help) Result<Outcome> function(const RuleInput& input);
#include "core/schedule/rules.def"

}  // namespace rx::schedule
