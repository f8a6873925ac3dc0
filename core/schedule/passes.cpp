// ApplyDefaultSchedule: each kernel that nobody has scheduled is scheduled by the first rule that takes it.
#include "core/schedule/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ir/all_nodes.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/kernel_schedule.h"
#include "core/schedule/rules.h"
#include "core/schedule/widen_sums.h"

namespace rx::schedule {

namespace {

constexpr int64_t kMostOption = 1024;

/// A rule as a call of the pass names it.
struct RuleCall {
  const RuleRow* row;
  int64_t option;
};

Result<RuleCall> ruleOf(const NodeRef& value) {
  const auto* text = as<ir::StrAttr>(value);
  const auto entries = refAs<ir::DictAttrs>(value);
  const std::string_view name = text ? text->value.view() : ir::strAttrOf(entries, "rule");
  if (name.empty()) return fail("pass.option-value", "a rule is its name, or {'rule': name, option: number}");
  const RuleRow* row = findRule(name);
  if (!row) {
    std::string known;
    for (const RuleRow& other : ruleRows()) known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
    return fail("pass.option-value", fmt::format("there is no rule '{}'; there are {}", name, known));
  }
  RuleCall call{row, row->fallback};
  for (size_t i = 0; entries && i < entries->size(); ++i) {
    const std::string_view key = entries->keys[i].view();
    if (key == "rule") continue;
    if (key != row->option) return fail("pass.option-value", fmt::format("the rule {} has no option '{}'", name, key));
    call.option = ir::intAttrOf(entries, key, 0);
    if (call.option <= 0 || call.option > kMostOption) {
      return fail("pass.option-value",
                  fmt::format("{} of the rule {} is a number from 1 to {}", key, name, kMostOption));
    }
  }
  return call;
}

Result<std::vector<RuleCall>> rulesOf(const ir::Attrs& options) {
  const auto* list = as<ir::ArrayAttr>(ir::attrOf(options, "rules"));
  if (!list) return fail("pass.option-value", "rules is a list");
  std::vector<RuleCall> calls;
  for (const NodeRef& item : list->items) {
    RX_TRY(call, ruleOf(item));
    calls.push_back(call);
  }
  return calls;
}

/// The kernel by the first rule that applies.
Result<Outcome> byFirstRule(const tir::PrimFuncRef& kernel, const target::Target& target, const ir::Attrs& options,
                            const CancelToken& cancel) {
  RX_TRY(rules, rulesOf(options));
  std::string why;
  for (const RuleCall& call : rules) {
    if (cancel.cancelled()) return Outcome{};
    Outcome outcome = notApplied(fmt::format("not for targets of the kind {}", target.kind()));
    if (!isa<tir::BlockRealize>(kernel->body)) {
      outcome = notApplied("the body of the function is no block");
    } else if (call.row->takes(target)) {
      // A primitive that refuses what the rule has begun says why the rule does not fit.
      auto made = call.row->apply({kernel, target, call.option});
      outcome = made ? std::move(*made) : notApplied(made.failure().diagnostics.front().message);
    }
    if (outcome.kernel) return outcome;
    // A rule that is asked alone needs no name.
    if (rules.size() == 1) return outcome;
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", call.row->name, outcome.why);
  }
  return notApplied(std::move(why));
}

Result<tir::PrimFuncRef> scheduled(const tir::PrimFuncRef& function, lower::Scope& scope) {
  return scheduledBy(kDefaultScheduler, function, scope);
}

Result<ir::Module> applyDefaultSchedule(const ir::Module& module, const ir::Attrs& options,
                                        pass::PassContext& context) {
  RX_CHECK(rulesOf(options));
  return lower::overPrimFuncs(module, options, context, scheduled);
}

Result<ir::Module> widenedSums(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  return lower::overPrimFuncs(module, options, context, widenSums);
}

constexpr pass::OptionSpec kOptions[] = {
    {"rules", pass::OptionKind::Any,
     "['gpu.Matmul', 'gpu.GEMV', 'gpu.Reduction', 'gpu.GeneralReduction', 'gpu.Fallback']",
     "names of rules, tried in this order; {'rule': name, option: number} for one with an option"},
};
/// "['host.VectorMatrix', …]" of all rows, from its second character on.
constexpr auto kHostRules = [] {
  auto text = std::to_array(
#define RX_HOST_RULE(name, function, help) ", '" name "'"
#define RX_HOST_STATEMENT_RULE RX_HOST_RULE
#include "core/schedule/host_rules.def"
      "]");
  text[1] = '[';
  return text;
}();
constexpr pass::OptionSpec kHostOptions[] = {
    {"rules", pass::OptionKind::Any, kHostRules.data() + 1,
     "names of rules, tried in this order for each stage of a kernel"},
    {"precise", pass::OptionKind::Bool, "False",
     "add the steps of a sum up in their order, and round each product: its bits are those of the kernel before"},
    {"sum_threads", pass::OptionKind::Int, "1",
     "threads that share the sums of a single place, each a part: how they round depends on this number"},
    {"tuned", pass::OptionKind::Dict, "{}",
     "by the key of a kernel, as rxs tune writes it, {name: number} of what rules choose by themselves elsewhere"},
};
constexpr pass::PassRow kRows[] = {
    {"ApplyDefaultSchedule", "schedule kernels by rules for their shapes", kOptions, pass::Contract::None,
     applyDefaultSchedule},
    {"ApplySchedules", "schedule kernels for processors, stage by stage, by rules with explicit vectors", kHostOptions,
     pass::Contract::None, applySchedules},
    {"WidenSums", "make the sums of float16 and bfloat16 in float32", {}, pass::Contract::None, widenedSums},
};

}  // namespace

const Scheduler kDefaultScheduler{"ApplyDefaultSchedule", byFirstRule};

std::span<const pass::PassRow> passRows() { return kRows; }

}  // namespace rx::schedule
