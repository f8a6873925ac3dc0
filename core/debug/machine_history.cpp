#include "core/debug/machine_history.h"

#include <algorithm>

namespace rx::debug {

Result<std::unique_ptr<MachineHistory>> MachineHistory::create(std::unique_ptr<vm::Machine> machine, Program program,
                                                               const Target& target, Pulse* pulse) {
  std::optional<TemporaryFolder> folder;
  std::string path = target.path;
  if (path.empty()) {
    RX_TRY(made, TemporaryFolder::make("rxs-recording"));
    folder.emplace(std::move(made));
    path = folder->file("run.rxtrace");
  }
  program.devices = deviceNames(*machine);
  RX_TRY(recorder, RunRecorder::create(path, program, *machine, target.policy));
  if (const std::string& why = recorder->writer().stopped(); !why.empty()) return fail("store.file", why);
  RX_TRY(run, Recording::open(path, std::move(program)));
  std::unique_ptr<MachineHistory> history(new MachineHistory(std::move(run)));
  if (folder) history->folder_.emplace(std::move(*folder));
  history->machine_ = std::move(machine);
  history->recorder_ = std::move(recorder);
  history->pulse_ = pulse;
  RX_CHECK(history->readBegin());
  return history;
}

void MachineHistory::advance() {
  if (!canAdvance()) return;
  if (pulse_) {
    pulse_->instruction = static_cast<int64_t>(machine_->pc());
    pulse_->steps = recorded();
  }
  const uint64_t before = machine_->stepCount();
  const StepTime time = timer_.step(*machine_);
  ran_ += time.nanoseconds;
  if (machine_->stepCount() > before) takeStep(time);
  if (machine_->status() == vm::MachineStatus::Running) return;
  recorder_->finish();
  grew();
  if (machine_->status() == vm::MachineStatus::Finished) {
    finish(RunEnd::Finished);
  } else {
    finish(RunEnd::Failed, machine_->fault()->diagnostics);
  }
}

std::optional<Misfit> MachineHistory::misfit() const {
  using Shape = vm::ShapeMismatch::What;
  const vm::Fault* fault = machine_->fault();
  if (end_ != RunEnd::Failed || !fault || !fault->mismatch) return std::nullopt;
  static constexpr std::pair<Shape, Misfit::What> kKinds[] = {{Shape::Dim, Misfit::What::Axis},
                                                              {Shape::Rank, Misfit::What::Rank},
                                                              {Shape::Type, Misfit::What::Type},
                                                              {Shape::Kind, Misfit::What::Kind},
                                                              {Shape::Value, Misfit::What::Value}};
  const vm::ShapeMismatch& mismatch = *fault->mismatch;
  Misfit misfit;
  for (const auto& [shape, what] : kKinds)
    if (shape == mismatch.what) misfit.what = what;
  const bool words = mismatch.what == Shape::Type || mismatch.what == Shape::Kind;
  misfit.parameter = fault->parameter;
  misfit.axis = mismatch.axis;
  misfit.symbol = fault->symbol;
  misfit.boundBy = fault->boundBy;
  misfit.wanted = words ? mismatch.expectedText : std::to_string(mismatch.expected);
  misfit.given = words ? mismatch.actualText : std::to_string(mismatch.actual);
  return misfit;
}

void MachineHistory::takeStep(StepTime time) {
  const bool recording = recorder_->writer().stopped().empty();
  recorder_->step(time);
  grew();
  if (recording && recorder_->writer().stopped().empty()) return;
  // The recording ends before the run; the step that ended it may be its last.
  if (kept() >= static_cast<int64_t>(machine_->stepCount())) return;
  // Of steps that were on their way when the disk failed, nothing is known.
  while (TraceHistory::recorded() + 1 < static_cast<int64_t>(machine_->stepCount())) addBehind(-1, false, -1);
  const vm::StepRecord& step = *machine_->lastStep();
  const bool called = step.frames == vm::StepRecord::Frames::Pushed;
  const int function =
      called ? program().functionIndex(machine_->executable().function(machine_->top().function).name) : -1;
  addBehind(function, step.frames == vm::StepRecord::Frames::Popped,
            machine_->frames().empty() ? -1 : static_cast<int64_t>(machine_->pc()));
}

}  // namespace rx::debug
