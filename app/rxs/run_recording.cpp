#include "app/rxs/run_recording.h"

#include <fmt/format.h>

#include <charconv>

#include "app/rxs/program_stages.h"
#include "core/debug/machine_history.h"
#include "core/debug/run_recorder.h"

namespace rx::cli {

Result<store::Policy> policyNamed(const std::string& keep) {
  constexpr std::pair<std::string_view, store::Keep> kNames[] = {{"everything", store::Keep::Everything},
                                                                 {"bindings", store::Keep::Bindings},
                                                                 {"statistics", store::Keep::Statistics}};
  store::Policy policy;
  for (const auto& [name, what] : kNames) {
    policy.keep = what;
    if (keep == name) return policy;
  }
  constexpr std::string_view kLast = "last:";
  policy.keep = store::Keep::LastSteps;
  const char* end = keep.data() + keep.size();
  if (keep.starts_with(kLast)) {
    const auto [at, error] = std::from_chars(keep.data() + kLast.size(), end, policy.steps);
    if (error == std::errc() && at == end && policy.steps > 0) return policy;
  }
  return fail("run.record", fmt::format("--record-keep takes everything, bindings, statistics or last:N, not \"{}\"",
                                        escapedForDisplay(keep)));
}

Result<std::vector<Diagnostic>> runRecorded(vm::Machine& machine, const compile::Program& program,
                                            const std::string& path, const store::Policy& policy,
                                            const std::function<int64_t()>& compileTime) {
  debug::Program rows = debug::programOf(*program.executable, stagesOf(program.history));
  rows.devices = debug::deviceNames(machine);
  RX_TRY(recorder, debug::RunRecorder::create(path, rows, machine, policy));
  debug::StepTimer timer(rows);
  timer.onCompileTime(compileTime);
  while (machine.status() == vm::MachineStatus::Running) {
    const debug::StepTime time = timer.step(machine);
    if (machine.status() != vm::MachineStatus::Faulted) recorder->step(time);
  }
  recorder->finish();
  std::vector<Diagnostic> warnings;
  if (const std::string& why = recorder->writer().stopped(); !why.empty())
    warnings.push_back(warningAt({}, "store.file", fmt::format("{} ends before the run: {}", path, why)));
  return warnings;
}

}  // namespace rx::cli
