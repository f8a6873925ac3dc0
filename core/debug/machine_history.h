// MachineHistory: a live run. The machine's recorder moves it back and forth; this class keeps what each step did.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "core/debug/history.h"
#include "core/debug/pulse.h"
#include "core/debug/trace_writer.h"
#include "core/vm/machine.h"

namespace rx::debug {

/// The rows of an executable, seen through its debug section; `stages` are the module's, the last what was compiled.
Program programOf(const vm::Executable& executable, std::vector<std::shared_ptr<const Stage>> stages);

class MachineHistory : public History {
 public:
  /// Takes a machine that records and has been started (Machine::start). `trace` and `pulse` may be null; the pulse
  /// outlives this.
  MachineHistory(std::unique_ptr<vm::Machine> machine, Program program, std::unique_ptr<TraceWriter> trace = nullptr,
                 Pulse* pulse = nullptr);

  const Program& program() const override { return program_; }
  int64_t oldest() const override;
  bool canAdvance() const override { return end_ == RunEnd::Open; }
  std::optional<Misfit> misfit() const override;
  void advance() override;
  Value registerAt(int64_t state, int activation, int reg) override;
  Value result() override;
  std::vector<LiveStorage> liveAt(int64_t state) override;
  int64_t peakBytes() const override { return peak_; }
  /// Nanoseconds that were spent on compiling kernels so far: what a step spent on it is told apart from what it ran.
  void onCompileTime(std::function<int64_t()> time) { compileTime_ = std::move(time); }
  const TraceWriter* trace() const { return trace_.get(); }
  const vm::Machine& machine() const { return *machine_; }

 private:
  void seek(int64_t state);
  Value valueOf(const vm::Value& value);
  uint64_t storageId(const Storage& storage);
  void takeStep(int64_t nanoseconds, int64_t compiling);
  void findProduced(StepRecord& record, const vm::StepRecord& step, size_t frame);
  bool madeNonFinite(const StepRecord& record, size_t frame);
  std::vector<WrittenMemory> written(const vm::StepRecord& step);
  std::vector<Value> argumentsOf(const vm::Frame& frame);
  void collect(const vm::Value& value, std::unordered_map<uint64_t, int64_t>& live);
  /// Counts the storages that a value keeps alive at the last state: once more (`by` 1) or once less (-1).
  void hold(const vm::Value& value, int by);
  /// What the registers hold after the step that was just recorded.
  void holdAfter(const vm::StepRecord& step);

  std::unique_ptr<vm::Machine> machine_;
  Program program_;
  std::unique_ptr<TraceWriter> trace_;
  Pulse* pulse_;
  std::function<int64_t()> compileTime_;
  std::unordered_map<const Storage*, uint64_t> storageIds_;
  std::unordered_map<uint64_t, int64_t> holders_;  ///< values of the last state that refer to a storage
  int64_t live_ = 0;                               ///< bytes of the storages that have holders
  int64_t peak_ = 0;
};

}  // namespace rx::debug
