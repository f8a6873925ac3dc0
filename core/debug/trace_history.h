// TraceHistory: a run read back from its recording, whole or cut. It can be walked and looked at like the live one.
#pragma once

#include "core/debug/history.h"
#include "core/debug/recording.h"

namespace rx::debug {

class TraceHistory : public History {
 public:
  /// Reads what is recorded so far, from the oldest step on that was not dropped. Fails as Recording::open does, and
  /// with `store.damaged` where it contradicts itself.
  static Result<std::unique_ptr<TraceHistory>> open(const std::string& path);

  const Program& program() const override { return run_->program(); }
  int64_t oldest() const override { return run_->reader().oldest(); }
  bool canAdvance() const override { return false; }
  void advance() override {}
  Value registerAt(int64_t state, int activation, int reg) override;
  Value describedAt(int64_t state, int activation, int reg) override;
  Value result() override;
  std::vector<LiveStorage> liveAt(int64_t state) override;
  int64_t peakBytes() const override { return static_cast<int64_t>(run_->reader().peakBytes()); }

 protected:
  explicit TraceHistory(std::unique_ptr<Recording> run) : run_(std::move(run)) {}
  /// Takes the outermost call, and then each step, from the recording.
  Result<Unit> readBegin();
  Result<Unit> readStep(uint32_t number);
  /// What a user changed at a state, once the steps before it are read.
  Result<Unit> readEdits(uint32_t state);

  std::unique_ptr<Recording> run_;

 private:
  Result<Unit> readOldest();
  Result<Unit> readProduced(uint32_t number, StepRecord& record) const;
  void readEnd();
  /// A register at a state, as `shown` makes it of what is recorded; in words where that is not kept.
  using Shown = Result<Value> (Recording::*)(uint32_t state, const store::Value& value) const;
  Value registerAs(Shown shown, int64_t state, int activation, int reg) const;
};

}  // namespace rx::debug
