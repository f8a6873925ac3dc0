#include "app/rxs/run_recording.h"

#include <fmt/format.h>

#include "app/rxs/program_stages.h"
#include "core/debug/machine_history.h"
#include "core/debug/run_recorder.h"

namespace rx::cli {

Result<std::vector<Diagnostic>> runRecorded(vm::Machine& machine, const compile::Program& program,
                                            const std::string& path, const store::Policy& policy,
                                            const std::function<int64_t()>& compileTime,
                                            const std::vector<std::shared_ptr<const debug::Stage>>& before) {
  std::vector<std::shared_ptr<const debug::Stage>> stages = stagesOf(program.history);
  stages.insert(stages.begin(), before.begin(), before.end());
  debug::Program rows = debug::programOf(*program.executable, std::move(stages));
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
