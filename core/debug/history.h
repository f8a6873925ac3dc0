// History: a run as a sequence of states. State s is what holds after s instructions; step s leads from state s to
// s + 1. A live machine can add steps at the end; a trace file can not. Looking at an old state never runs anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/debug/program.h"
#include "core/debug/value.h"
#include "core/runtime/value.h"

namespace rx::debug {

/// A tensor that a step wrote, with its statistics right after the step.
struct Produced {
  int reg = -1;  ///< register of the step's frame that holds it
  Value value;   ///< the description; its bytes are those of later states once the machine went on
  TensorStats stats;
};

/// What one executed instruction did.
struct StepRecord {
  int64_t instruction = -1;
  int activation = -1;     ///< the frame it ran in
  int dst = -1;            ///< register that it set, -1 for none
  int dstActivation = -1;  ///< the frame of that register: a return sets one of the caller
  Value value;             ///< what it set, as Produced::value
  std::vector<Produced> produced;
  bool nonFinite = false;   ///< made a NaN or Inf out of finite inputs
  int64_t nanoseconds = 0;  ///< that it ran
  int64_t compiling = 0;  ///< nanoseconds before that, for the machine code of the kernel that it is the first to call
};

/// One frame that existed: the call of a function. Activations are numbered in the order of their calls.
struct Activation {
  int function = -1;
  int parent = -1;               ///< the calling activation, -1 for the outermost
  int64_t callStep = -1;         ///< the step of the call in the parent
  int64_t callInstruction = -1;  ///< what that step ran
  int depth = 1;                 ///< frames with it
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
  /// What a step did; nothing (no instruction) of one that is not known any more.
  const StepRecord& step(int64_t number) const;
  /// Steps [firstStep, recorded) are known: a recording may have dropped those before.
  int64_t firstStep() const { return firstStep_; }
  int64_t recorded() const { return firstStep_ + static_cast<int64_t>(steps_.size()); }
  /// The call of a frame; nothing (function -1) of one that returned before the first step that is known.
  const Activation& activation(int number) const;
  int activationCount() const { return firstActivation_ + static_cast<int>(activations_.size()); }

  /// Whether the run goes on after the last recorded state: Open (advance can be called or the trace was cut by a
  /// living engine), Finished, Failed (see failure()), Cut (a trace whose engine died).
  RunEnd end() const { return end_; }
  const std::vector<Diagnostic>& failure() const { return failure_; }
  /// Of a failed run whose last instruction refused a value: which, and why.
  virtual std::optional<Misfit> misfit() const { return std::nullopt; }
  /// The first state that can still be looked at: a machine that ran out of room for the past forgets the oldest.
  virtual int64_t oldest() const { return 0; }
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

  /// What comes next at a state; instruction -1 after the end of the run.
  Next next(int64_t state) const;
  /// Frames at a state, innermost first: their activation and next (or calling) instruction.
  std::vector<Next> frames(int64_t state) const;
  int depth(int64_t state) const;
  /// The newest state not after `state` at which the frame exists, -1 when there is none.
  int64_t lastStateOf(int activation, int64_t state) const;

  /// A register of a frame at a state; of a frame that has returned, as it was at its end. Tensors have the bytes of
  /// that state until the next call of a method that is not const.
  virtual Value registerAt(int64_t state, int activation, int reg) = 0;
  /// The same without its bytes, which costs less.
  virtual Value describedAt(int64_t state, int activation, int reg) = 0;
  /// The result of the run once it finished.
  virtual Value result() = 0;
  virtual std::vector<LiveStorage> liveAt(int64_t state) = 0;
  /// The most bytes that were alive at once so far.
  virtual int64_t peakBytes() const = 0;

 protected:
  /// Keeps activations and what comes next in step with a record; `pushed` is the function that it entered (-1 none),
  /// `next` the instruction that follows (-1 at the end).
  void append(StepRecord record, int pushed, int64_t next);
  /// The outermost call, before any step.
  void begin(int function, int64_t instruction);
  /// The frames that were there before the first step that is known, by number, and what came next.
  void resume(int64_t firstStep, std::map<int, Activation> carried, Next next);
  void finish(RunEnd end, std::vector<Diagnostic> failure = {});

  std::vector<StepRecord> steps_;
  std::vector<Activation> activations_;  ///< from firstActivation_ on
  std::map<int, Activation> carried_;    ///< of those before, what was active at the first step
  int64_t firstStep_ = 0;
  int firstActivation_ = 0;
  Next last_;  ///< what comes next at the last state
  RunEnd end_ = RunEnd::Open;
  std::vector<Diagnostic> failure_;
  std::vector<Edit> edits_;
};

}  // namespace rx::debug
