// TraceHistory: a run read back from its recording, whole or cut. It can be walked and looked at like the live one.
#pragma once

#include <map>

#include "core/debug/history.h"

namespace rx::debug {

class TraceHistory : public History {
 public:
  /// Looks at what is recorded so far, from the oldest step on that was not dropped. Fails as Recording::open does, and
  /// with `store.damaged` where its beginning contradicts itself; what does so further on reads as not known.
  static Result<std::unique_ptr<TraceHistory>> open(const std::string& path);

  const Program& program() const override { return run_->program(); }
  StepRecord step(int64_t number) const override;
  TimedStep timed(int64_t step) const override;
  int64_t oldest() const override { return look().reader().oldest(); }
  int64_t recorded() const override { return kept() + static_cast<int64_t>(behind_.states.size()); }
  Activation activation(int number) const override;
  int activationCount() const override;
  Next next(int64_t state) const override;
  TouchingSteps setting(int64_t state, int activation, int reg) const override;
  TouchingSteps writing(int64_t state, uint64_t storage) const override;
  int64_t nextWrite(int64_t state) const override;
  int64_t lastWrite(int64_t state) const override;
  std::optional<TensorStats> statistics(int64_t step, int reg) const override;
  Finiteness finiteness(int64_t step) const override;
  bool canAdvance() const override { return false; }
  void advance() override {}
  Value registerAt(int64_t state, int activation, int reg) override;
  Value describedAt(int64_t state, int activation, int reg) override;
  uint64_t memoryAt(int64_t state, int activation, int reg) const override;
  Value result() override;
  std::vector<LiveStorage> liveAt(int64_t state) override;
  int64_t peakBytes() const override { return static_cast<int64_t>(look().reader().peakBytes()); }

 protected:
  explicit TraceHistory(std::unique_ptr<Recording> run) : run_(std::move(run)) {}
  /// Checks where the run begins.
  Result<Unit> readBegin();
  /// The recording, with all that is in it by now.
  const Recording& look() const;
  /// Something was added to the recording.
  void grew() { grew_ = true; }
  /// Waits until what was added can be read.
  virtual void settle() const {}
  /// Steps that are in the recording.
  int64_t kept() const { return look().reader().recorded(); }
  /// Adds a step that came behind the end of the recording: `function` is what it called (-1 none).
  void addBehind(int function, bool returned, int64_t nextInstruction);

 private:
  /// Of a recording that ended before the run: where the run went on, and no values.
  struct Behind {
    std::vector<Next> states;
    std::vector<Activation> calls;
    std::map<int, int64_t> returns;  ///< the step that was the return of a frame
  };
  Result<Unit> readEdits();
  Result<Unit> readProduced(uint32_t number, StepRecord& record) const;
  void readEnd();
  /// A register at a state, as `shown` makes it of what is recorded; in words where that is not kept.
  using Shown = Result<Value> (Recording::*)(uint32_t state, const store::Value& value) const;
  Value registerAs(Shown shown, int64_t state, int activation, int reg) const;
  /// What a register holds at a state, or held when its frame returned, and as of which state; nothing where there is
  /// no such register.
  struct Held {
    uint32_t state;
    Result<store::Value> value;
  };
  std::optional<Held> heldAt(int64_t state, int activation, int reg) const;

  std::unique_ptr<Recording> run_;
  mutable bool grew_ = false;
  mutable std::pair<int64_t, StepRecord> asked_{
      -1, {}};  ///< the step that was asked for last: of a value it is asked often
  Behind behind_;
};

}  // namespace rx::debug
