#include "app/rxs/run_profile.h"

#include "app/rxs/device_limits.h"
#include "app/rxs/program_stages.h"
#include "core/compile/device_facts.h"
#include "core/debug/machine_history.h"
#include "core/profile/rows.h"
#include "core/schedule/apply_schedules.h"
#include "core/support/cache_folder.h"
#include "core/support/file.h"

namespace rx::cli {

namespace {

/// What the kernels of a program are held against.
Result<profile::Hardware> hardwareFor(const compile::Program& program) {
  const target::TargetRef& target = program.request.target;
  if (codegen::writesDeviceText(target->kind())) return deviceLimits(target);
  return profile::hardwareOf(profile::hardwareFile(), false, {});
}

/// How much of a unit of the device the kernels fill, by their names or what is called.
void addOccupancy(const Result<compile::OccupancyTable>& known, profile::Table& table) {
  if (!known) {
    table.noOccupancy = known.diagnostics().front().message;
    return;
  }
  for (profile::Row& row : table.rows) {
    const auto found = known->find(table.by == profile::By::Kernel ? row.name : row.callee);
    if (found == known->end()) continue;
    const Result<codegen::Occupancy>& its = found->second;
    if (its) row.occupancy = static_cast<double>(its->warps) / static_cast<double>(its->mostWarps);
  }
}

/// Which rules scheduled the kernels, and which conditions of rules failed where none did.
void addRules(const compile::Program& program, profile::Table& table) {
  std::map<std::string, std::string, std::less<>> failed;
  for (const pass::StepRecord& step : program.history.steps) {
    for (const Diagnostic& each : step.messages) {
      if (each.rule == schedule::kNoRule) failed[each.context] = each.message;
    }
  }
  for (profile::Row& row : table.rows) {
    const std::string& name = table.by == profile::By::Kernel ? row.name : row.callee;
    const auto kernel = row.kernel ? refAs<tir::PrimFunc>(program.module->find(name)) : nullptr;
    if (kernel) row.rules = schedule::rulesThatMade(*kernel);
    if (const auto found = failed.find(name); kernel && found != failed.end()) row.noRule = found->second;
  }
}

}  // namespace

void addProfileOptions(CLI::App& command, ProfileArguments& arguments) {
  CLI::Option* profile = command.add_flag(
      "--profile", arguments.wanted,
      "run again and again and say where the time goes: by kernel, with the fraction of what this machine could do "
      "(see `rxs machine`)");
  profile->excludes("--record")->excludes("--trace")->excludes("--check");
  command
      .add_option_function<std::string>(
          "--profile-by", [&arguments](const std::string& by) { arguments.byCall = by == "call"; },
          "rows of the profile: kernel, or call for each instruction with its binding and the imported one")
      ->check(CLI::IsMember({"kernel", "call"}))
      ->needs(profile);
  command.add_option("--profile-runs", arguments.runs, "runs that are measured (default: as many as take a second)")
      ->check(CLI::Range(1, 100000))
      ->needs(profile);
  command.add_option("--profile-out", arguments.out, "file for the profile as JSON, which the window opens")
      ->needs(profile);
  command.add_option("--profile-trace", arguments.trace, "file for the last run, as Chrome's trace viewer reads it")
      ->needs(profile);
}

std::string limitsFolder(const ProfileArguments& arguments) {
  return arguments.wanted ? cacheFolder("machine") : std::string();
}

Result<int64_t> profileInto(Reply& reply, const ProfileArguments& arguments, vm::Machine& machine,
                            const compile::Program& program, const std::string& function,
                            const std::vector<vm::Value>& args) {
  RX_TRY(hardware, hardwareFor(program));
  RX_TRY(taken, profile::profileRun(machine, function, args, program.module,
                                    {.runs = arguments.runs, .cancel = {}, .devices = deviceClockOf(machine)}));
  const debug::Program rows = debug::programOf(*program.executable, stagesOf(program.history));
  profile::Table kernels = profile::tableOf(taken, rows, profile::By::Kernel, hardware);
  profile::Table calls = profile::tableOf(taken, rows, profile::By::Call, hardware);
  if (codegen::writesDeviceText(program.request.target->kind())) {
    const auto occupancy = compile::occupancies(program, {});
    for (profile::Table* table : {&kernels, &calls}) addOccupancy(occupancy, *table);
  }
  for (profile::Table* table : {&kernels, &calls}) addRules(program, *table);
  reply.print(profile::tableText(arguments.byCall ? calls : kernels, hardware));
  if (reply.asJson() || !arguments.out.empty()) {
    profile::Json json = profile::toJson(taken, kernels, calls, hardware);
    if (!arguments.out.empty()) RX_CHECK(writeFile(arguments.out, json.dump() + "\n"));
    reply.fields()[arguments.field] = std::move(json);
  }
  if (!arguments.trace.empty()) RX_CHECK(writeFile(arguments.trace, profile::chromeTrace(taken, rows).dump() + "\n"));
  return kernels.wall;
}

}  // namespace rx::cli
