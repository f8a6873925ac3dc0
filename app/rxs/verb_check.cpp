#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/reply.h"
#include "app/rxs/verbs.h"
#include "core/compile/device_code.h"
#include "core/compile/request/languages.h"
#include "core/import/phase_dumps.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/device_badge.h"

namespace rx::cli {

namespace {

struct CheckArguments {
  InputOptions input;
  bool asJson = false;
  std::string target;  ///< of a device; empty: kernels are not asked how they would run on one
};

/// Every stage of a folder or a log: one line each, what is wrong with it on standard error. A stage that can not be
/// read does not keep the others from being checked.
int checkStages(const std::string& folder, Reply& reply) {
  Result<std::vector<import::DumpedStage>> stages = import::readStages(folder);
  if (!stages) return reply.refuse(stages.diagnostics());
  bool good = true;
  for (size_t i = 0; i < stages->size(); ++i) {
    const import::DumpedStage& stage = (*stages)[i];
    reply.report(stage.diagnostics, {stage.source});
    const std::vector<Diagnostic> findings =
        stage.refused() ? std::vector<Diagnostic>() : compile::wellFormed(stage.module);
    reply.report(findings, {stage.source});
    const char* lamp = stage.refused() ? "can not be read" : hasErrors(findings) ? "ill-formed" : "ok";
    good = good && !stage.refused() && !hasErrors(findings);
    reply.print(fmt::format("{:>3}  {:<32} {}\n", i, escapedForDisplay(stage.name), lamp));
    reply.fields()["stages"].push_back({{"name", stage.name}, {"verdict", lamp}});
  }
  return good ? kYes : kNo;
}

/// A line for each kernel, in the order of the module; what keeps it from the next badge on standard error.
int badges(const ir::Module& module, const std::string& text, Reply& reply) {
  const Result<target::TargetRef> target = compile::targetHere(text);
  if (!target) return reply.refuse(target.diagnostics());
  reply.fields()["kernels"] = Reply::Json::array();
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<tir::PrimFunc>(module->functions[i]);
    if (!function) continue;
    const std::string name = module->vars[i]->name.string();
    schedule::BadgeReport report = schedule::badgeOf(name, function, *target, {});
    for (Diagnostic& finding : report.findings) finding.context = "PrimFunc " + name;
    reply.report(report.findings, *module->sources);
    reply.print(fmt::format("{:<32} {}\n", escapedForDisplay(name), schedule::nameOf(report.badge)));
    reply.fields()["kernels"].push_back({{"name", name}, {"badge", schedule::nameOf(report.badge)}});
  }
  return kYes;
}

int check(const CheckArguments& arguments, Reply& reply) {
  const InputOptions& input = arguments.input;
  if (input.stage.empty() && input.module.empty() && holdsStages(input.path)) return checkStages(input.path, reply);
  const ir::Module module = openModule(input, reply);
  if (!module) return kNo;
  const std::vector<Diagnostic> findings = compile::wellFormed(module);
  reply.report(findings, *module->sources);
  // What is ill formed is not looked at any further.
  if (!hasErrors(findings)) reply.report(compile::visibleFaults(module), *module->sources);
  if (hasErrors(findings)) return kNo;
  return arguments.target.empty() ? kYes : badges(module, arguments.target, reply);
}

}  // namespace

std::function<int()> setupCheck(CLI::App& command) {
  auto arguments = std::make_shared<CheckArguments>();
  addInputOptions(command, arguments->input);
  addJsonOption(
      command, arguments->asJson,
      "\"stages\" (of a folder of stages or a log): [{\"name\", \"verdict\": \"ok\", \"ill-formed\" or \"can not be "
      "read\"}], \"kernels\" (with --target): [{\"name\", \"badge\"}]");
  command
      .add_option("--target", arguments->target,
                  "also say of each kernel whether a device of this target can run it as it stands: unscheduled, bound "
                  "to threads, or verified (within the target's limits, accesses proven or looked at)")
      ->option_text("TARGET");
  return [arguments] {
    Reply reply(arguments->asJson);
    return reply.finish(check(*arguments, reply));
  };
}

}  // namespace rx::cli
