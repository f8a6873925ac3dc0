// MachineHistory: a live run. The machine only goes forward, and what it did is recorded; the past is read from there.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/debug/pulse.h"
#include "core/debug/run_recorder.h"
#include "core/debug/trace_history.h"
#include "core/runtime/machine.h"
#include "core/support/temporary_folder.h"

namespace rx::debug {

/// The rows of an executable, seen through its debug section; `stages` are the module's, the last what was compiled.
Program programOf(const vm::Executable& executable, std::vector<std::shared_ptr<const Stage>> stages);
/// The devices of a run by their index in instructions, those of the host named "host".
std::vector<std::string> deviceNames(const vm::Machine& machine);

/// The bindings that the instructions of a program name: the stage of a program that came without its module.
std::shared_ptr<const Stage> stageOfSites(const Program& program, std::string title);

class MachineHistory : public TraceHistory {
 public:
  /// Where the run is recorded; without a path in a file that goes with this.
  struct Target {
    std::string path;
    store::Policy policy = {};
  };
  /// Takes a machine that keeps what its last step did and has been started (Machine::start). `pulse` may be null; it
  /// outlives this. Fails with `store.file`.
  static Result<std::unique_ptr<MachineHistory>> create(std::unique_ptr<vm::Machine> machine, Program program,
                                                        const Target& target, Pulse* pulse = nullptr);

  /// Counted by the machine: the recording is looked at when somebody asks more.
  int64_t recorded() const override { return static_cast<int64_t>(machine_->stepCount()); }
  bool canAdvance() const override { return end_ == RunEnd::Open; }
  std::optional<Misfit> misfit() const override;
  void advance() override;
  Result<Unit> changeable() const override;
  Result<vm::Value> held(int activation, int reg) const override;
  Result<Unit> change(Change change) override;
  /// Nanoseconds that were spent on compiling kernels so far: what a step spent on it is told apart from what it ran.
  void onCompileTime(std::function<int64_t()> time) { timer_.onCompileTime(std::move(time)); }

 protected:
  void settle() const override { recorder_->settle(); }

 private:
  explicit MachineHistory(std::unique_ptr<Recording> run) : TraceHistory(std::move(run)), timer_(program()) {}
  void takeStep(StepTime time);
  Edit& presentEdit();
  Result<Unit> patch(const HostTensor& tensor, const MemoryPatch& patch);

  std::optional<TemporaryFolder> folder_;
  std::unique_ptr<vm::Machine> machine_;
  std::unique_ptr<RunRecorder> recorder_;
  Pulse* pulse_ = nullptr;
  StepTimer timer_;
};

}  // namespace rx::debug
