// History: a run as a sequence of states. State s is what holds after s instructions; step s leads from state s to
// s + 1. A live machine can add steps at the end; a trace file can not. Looking at an old state never runs anything.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/debug/program.h"
#include "core/debug/recording.h"
#include "core/debug/value.h"
#include "core/runtime/value.h"

namespace rx::debug {

/// A tensor that a step wrote.
struct Produced {
  int reg = -1;  ///< register of the step's frame that holds it
  Value value;   ///< without its bytes
};

/// What one executed instruction did.
struct StepRecord {
  int64_t instruction = -1;
  int activation = -1;     ///< the frame it ran in
  int dst = -1;            ///< register that it set, -1 for none
  int dstActivation = -1;  ///< the frame of that register: a return sets one of the caller
  Value value;             ///< what it set, as Produced::value
  std::vector<Produced> produced;
  int64_t nanoseconds = 0;  ///< that it ran
  int64_t compiling = 0;  ///< nanoseconds before that, for the machine code of the kernel that it is the first to call
};

/// Which instruction a step ran, and what it took.
struct TimedStep {
  int64_t instruction = -1;
  int64_t nanoseconds = 0;  ///< as in StepRecord
  int64_t compiling = 0;
};

/// One frame that existed: the call of a function. Activations are numbered in the order of their calls.
struct Activation {
  int function = -1;
  int parent = -1;               ///< the calling activation, -1 for the outermost
  int64_t callStep = -1;         ///< the step of the call in the parent
  int64_t callInstruction = -1;  ///< what that step ran
  int depth = 1;                 ///< frames with it
  int64_t lastState = -1;        ///< the state before its return, or the last of the run so far
  bool returned = false;
};

/// The steps around a state that touched something, -1 for none; a user's edit counts to the step before it.
struct TouchingSteps {
  int64_t last = -1;  ///< the last before the state
  int64_t next = -1;  ///< the first from the state on
};

/// The next instruction at a state.
struct Next {
  int64_t instruction = -1;
  int activation = -1;
};

/// Why a check of a value in the program failed, in parts; where a size does not fit, who bound what it should be.
struct Misfit {
  enum class What : uint8_t { Axis, Rank, Type, Kind, Value };
  What what = What::Axis;
  std::string parameter;  ///< the value's name, "" when not known
  int64_t axis = -1;
  std::string symbol;   ///< the expression that the size has to be: "n", "n * 4"; empty for a plain number
  std::string boundBy;  ///< who gave the symbol its value: "x, axis 0"
  std::string wanted;   ///< "3", "float32"
  std::string given;
};

enum class RunEnd : uint8_t { Open, Finished, Failed, Cut };

/// Memory that is alive at a state.
struct LiveStorage {
  uint64_t id = 0;
  int64_t bytes = 0;
  int64_t step = 0;  ///< that made it; 0 for what was there before the first too
};

/// Bytes of a tensor that are to be others.
struct MemoryPatch {
  int64_t offset = 0;  ///< from the tensor's first byte on
  std::vector<std::byte> bytes;
};

/// What a user gives a register, or an item of the tuple that it holds: another value, or other bytes of its tensor.
struct Change {
  int activation = -1;
  int reg = -1;
  std::vector<int> path;  ///< items of tuples
  std::variant<vm::Value, MemoryPatch> content;
};

/// What was changed at a state by a user, between two steps.
struct Edit {
  int64_t state = 0;
  std::vector<std::pair<int, int>> registers;  ///< of an activation
  struct Memory {
    uint64_t storage = 0;  ///< as Value::storage
    int64_t offset = 0, bytes = 0;
  };
  std::vector<Memory> memory;
};

class History {
 public:
  virtual ~History() = default;

  virtual const Program& program() const = 0;
  /// What a step did; nothing (no instruction) of one that is not known any more. Nothing is kept in memory for a step:
  /// this and what follows asks the recording.
  virtual StepRecord step(int64_t number) const = 0;
  /// The same without what it did, which costs less.
  virtual TimedStep timed(int64_t step) const = 0;
  /// Steps [oldest, recorded) are known, and the states around them: a run that ran out of room for the past forgets
  /// the oldest.
  virtual int64_t oldest() const = 0;
  virtual int64_t recorded() const = 0;
  /// The call of a frame; nothing (function -1) of one that returned before the first step that is known.
  virtual Activation activation(int number) const = 0;
  virtual int activationCount() const = 0;
  /// What comes next at a state; instruction -1 after the end of the run.
  virtual Next next(int64_t state) const = 0;
  /// Steps that set a register of a frame, or wrote to a memory (Value::storage), around a state.
  virtual TouchingSteps setting(int64_t state, int activation, int reg) const = 0;
  virtual TouchingSteps writing(int64_t state, uint64_t storage) const = 0;
  /// The first step from a state on that wrote to any memory, or the last before it; -1 for none.
  virtual int64_t nextWrite(int64_t state) const = 0;
  virtual int64_t lastWrite(int64_t state) const = 0;
  /// Statistics of what a step wrote, right behind it; nothing where neither they nor the bytes are kept.
  virtual std::optional<TensorStats> statistics(int64_t step, int reg) const = 0;
  virtual Finiteness finiteness(int64_t step) const = 0;

  /// Nanoseconds that the steps of a live run took so far, what compiling took aside.
  int64_t ran() const { return ran_; }
  /// Whether the run goes on after the last recorded state: Open (advance can be called or the trace was cut by a
  /// living engine), Finished, Failed (see failure()), Cut (a trace whose engine died).
  RunEnd end() const { return end_; }
  const std::vector<Diagnostic>& failure() const { return failure_; }
  /// Of a failed run whose last instruction refused a value: which, and why.
  virtual std::optional<Misfit> misfit() const { return std::nullopt; }
  /// Whether advance() may be called.
  virtual bool canAdvance() const = 0;
  /// Executes one instruction at the last state and records it. A failure of the program ends the run; it is not a
  /// failure of this call.
  virtual void advance() = 0;

  /// Whether values of the last state can be changed. Fails with `debug.recorded` (nothing runs) or `debug.ended`.
  virtual Result<Unit> changeable() const;
  /// What the machine holds in a register now. Fails as changeable, or with `debug.gone` for a frame that has returned.
  virtual Result<vm::Value> held(int activation, int reg) const;
  /// Changes a value of the last state, which becomes an edit of it. Fails as held, or with `debug.constant` where the
  /// memory is a constant of the program.
  virtual Result<Unit> change(Change change);
  /// In the order of their states.
  const std::vector<Edit>& edits() const { return edits_; }

  /// Frames at a state, innermost first: their activation and next (or calling) instruction.
  std::vector<Next> frames(int64_t state) const;
  int depth(int64_t state) const;
  /// The newest state not after `state` at which the frame exists, or at which it is the one that runs; -1 when there
  /// is none.
  int64_t lastStateOf(int activation, int64_t state) const;
  int64_t lastRunning(int activation, int64_t state) const;
  /// The state before one in the same frame, -1 for its first that is known.
  int64_t previous(int64_t state) const;
  /// The state behind a step in the same frame, -1 while it is not there.
  int64_t following(int64_t step) const;

  /// A register of a frame at a state; of a frame that has returned, as it was at its end. Tensors have the bytes of
  /// that state until the next call of a method that is not const.
  virtual Value registerAt(int64_t state, int activation, int reg) = 0;
  /// The same without its bytes, which costs less.
  virtual Value describedAt(int64_t state, int activation, int reg) = 0;
  /// The memory (Value::storage) of the tensor or storage in a register, 0 for none.
  virtual uint64_t memoryAt(int64_t state, int activation, int reg) const = 0;
  /// The result of the run once it finished.
  virtual Value result() = 0;
  virtual std::vector<LiveStorage> liveAt(int64_t state) = 0;
  /// The most bytes that were alive at once so far.
  virtual int64_t peakBytes() const = 0;

 protected:
  void finish(RunEnd end, std::vector<Diagnostic> failure = {});

  int64_t ran_ = 0;
  RunEnd end_ = RunEnd::Open;
  std::vector<Diagnostic> failure_;
  std::vector<Edit> edits_;
};

}  // namespace rx::debug
