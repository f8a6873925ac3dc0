// rxs schedule: how rules schedule the kernels of a module, as traces of primitives; or such a trace applied.
#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/kernel_module.h"
#include "app/rxs/reply.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/ir/all_nodes.h"
#include "core/pass/options.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/choices.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/kernel_schedule.h"
#include "core/schedule/primitives.h"
#include "core/schedule/trace_reader.h"
#include "core/script/print.h"
#include "core/support/file.h"
#include "core/support/nearest.h"

namespace rx::cli {

namespace {

struct ScheduleArguments {
  InputOptions input;
  std::string function, passes, target, trace, output;
  std::vector<std::string> rules;
  bool list = false;
  bool asJson = false;
};

Failure unknownRule(const std::string& name) {
  Diagnostic said = errorAt({}, "pass.option-value", fmt::format("there is no rule '{}'", name));
  Nearest nearest(name);
  std::string all;
  for (const std::string& rule : schedule::namesOfRules()) {
    nearest.offer(rule);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", rule);
  }
  said.fix = nearest.fix();
  said.notes.push_back({fmt::format("there are {}", all), {}});
  return fail(std::move(said));
}

/// The call of the pass that has these rules; where none are named, of the one for such targets.
Result<pass::PassCall> scheduleCall(const ScheduleArguments& arguments, const target::Target& target) {
  bool host = !target.isGpu();
  std::string list;
  for (const std::string& rule : arguments.rules) {
    const bool known = schedule::findRule(rule) != nullptr;
    if (!known && !schedule::isHostRule(rule)) return unknownRule(rule);
    host = !known;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", script::printNode(*ir::strAttr(Str(rule))));
  }
  const auto& scheduler = host ? schedule::kHostScheduler : schedule::kDefaultScheduler;
  RX_TRY(calls, pass::parsePipeline(compile::passTable(),
                                    fmt::format("{}({})", scheduler.pass, list.empty() ? "" : "rules=[" + list + "]")));
  return calls.front();
}

/// How one kernel is scheduled, as lines of a trace.
std::string traceText(const schedule::Outcome& outcome, const std::string& name) {
  std::string text = fmt::format("  # {}", name);
  if (!outcome.kernel && outcome.why.empty()) return text + " is scheduled already\n";
  if (!outcome.why.empty()) text += fmt::format("{}: {}", outcome.kernel ? "" : " stays as it is", outcome.why);
  text += "\n";
  return outcome.kernel ? text + schedule::traceLines(outcome.trace, name, "  ") : text;
}

int printTraces(const ScheduleArguments& arguments, const ir::Module& module, const target::TargetRef& target,
                Reply& reply) {
  const auto call = scheduleCall(arguments, *target);
  if (!call) return reply.refuse(call.diagnostics());
  const auto* scheduler = schedule::schedulerOf(call->row->name);
  const ir::Attrs options = pass::withFallbacks(call->row->options, call->options);
  Reply::Json& kernels = reply.fields()["kernels"] = Reply::Json::array();
  std::string text(schedule::kTraceHead);
  for (size_t i = 0; i < module->size(); ++i) {
    const auto kernel = refAs<tir::PrimFunc>(module->functions[i]);
    const std::string name = module->vars[i]->name.string();
    if (!kernel || (!arguments.function.empty() && name != arguments.function)) continue;
    const auto outcome = schedule::scheduleKernel(*scheduler, kernel, target, options, {});
    if (!outcome) return reply.refuse(outcome.diagnostics(), *module->sources);
    Reply::Json lines = Reply::Json::array();
    for (const auto& instruction : outcome->trace.instructions()) {
      lines.push_back(schedule::instructionText(outcome->trace, instruction, name));
    }
    kernels.push_back(
        {{"name", name}, {"scheduled", outcome->kernel != nullptr}, {"why", outcome->why}, {"trace", lines}});
    text += traceText(*outcome, name);
  }
  text += "  return\n";
  return reply.asJson() ? kYes : writeText(arguments.output, text);
}

int applyTrace(const ScheduleArguments& arguments, const ir::Module& module, Reply& reply) {
  auto text = readFile(arguments.trace);
  if (!text) return reply.refuse(text.diagnostics());
  const auto source = make<SourceFile>(arguments.trace, std::move(*text));
  const auto traced = schedule::applyTrace(module, *source, arguments.function);
  if (!traced) return reply.refuse(traced.diagnostics(), {source});
  ir::Module made = module;
  Reply::Json& kernels = reply.fields()["kernels"] = Reply::Json::array();
  for (const schedule::TracedKernel& each : *traced) {
    made =
        made->withFunction(each.name, ir::withFunctionAttr(each.kernel, Str(schedule::kScheduled), ir::boolAttr(true)));
    kernels.push_back({{"name", each.name->name.string()}, {"scheduled", true}});
  }
  reply.report(compile::wellFormed(made), *module->sources);
  return arguments.asJson && arguments.output.empty() ? kYes
                                                      : writeText(arguments.output, compile::moduleText(made) + "\n");
}

int listPrimitives() {
  for (const schedule::PrimitiveRow& row : schedule::primitiveRows()) {
    say("sch.{}({})\n    {}\n", row.name, row.arguments, row.help);
  }
  say("\nIntrinsics for sch.tensorize:\n");
  for (const schedule::IntrinsicRow& row : schedule::intrinsicRows()) say("\"{}\"\n    {}\n", row.name, row.help);
  say("\nChoices of sch.schedule_stages:\n");
  for (const schedule::ChoiceRow& row : schedule::choiceRows())
    say("\"{}\": {}\n    {}; it is {}\n", row.name, row.fallback, row.help, row.allowed());
  return kYes;
}

int runSchedule(const ScheduleArguments& arguments, Reply& reply) {
  const ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  const auto target = target::parseTarget(arguments.target.empty() ? "llvm" : arguments.target);
  if (!target) return reply.refuse(target.diagnostics());
  const auto ready = kernelModule(module, {arguments.passes, arguments.function}, *target, reply);
  if (!ready) return reply.refuse(ready.diagnostics(), *module->sources);
  return arguments.trace.empty() ? printTraces(arguments, *ready, *target, reply)
                                 : applyTrace(arguments, *ready, reply);
}

}  // namespace

std::function<int()> setupSchedule(CLI::App& command) {
  auto arguments = std::make_shared<ScheduleArguments>();
  command.add_option("file", arguments->input.path, "a TVMScript file, or a folder that holds module.py");
  command.add_option("--module", arguments->input.module,
                     "name of the module or function, where the file holds several");
  command.add_option("--function,--func", arguments->function, "the kernel, by its name (default: all)");
  command.add_option("--passes", arguments->passes,
                     "passes to run first (default: none; the pipeline fused where the module has no kernels yet)");
  command.add_option("--target", arguments->target, "what the rules schedule for (default: this machine)");
  CLI::Option* rules = command
                           .add_option("--rule", arguments->rules,
                                       "names of rules, tried in this order (default: those that schedule for such "
                                       "targets)")
                           ->delimiter(',');
  command
      .add_option("--trace", arguments->trace,
                  "apply the lines of this file, such as this verb prints and TVM does, and write the module")
      ->excludes(rules);
  command.add_option("-o,--output", arguments->output, "file for the text (default: standard output)");
  command.add_flag("--list", arguments->list,
                   "list the primitives with their arguments, the intrinsics, and the numbers that a trace may say");
  addJsonOption(command, arguments->asJson,
                "\"kernels\": [{\"name\", \"scheduled\", \"why\": which conditions failed, \"trace\": a line a "
                "primitive}]");
  return [arguments, &command] {
    if (arguments->list) return listPrimitives();
    if (arguments->input.path.empty()) {
      tell(fmt::format("file is required\n{}", command.help()));
      return kWrongUse;
    }
    Reply reply(arguments->asJson);
    return reply.finish(runSchedule(*arguments, reply));
  };
}

}  // namespace rx::cli
