// core/debug: what a debugger does with a run. A Session moves over the states of a History, forward by executing or by
// walking what is recorded, backward by walking alone, and stops at breakpoints, at bindings of the selected stage, and
// where a value went wrong. It belongs to one thread; nothing here knows a protocol or a window.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/debug/breakpoint.h"
#include "core/debug/crossings.h"
#include "core/debug/given_steps.h"
#include "core/debug/history.h"
#include "core/debug/memory_curve.h"
#include "core/debug/timeline.h"

namespace rx::debug {

enum class Granularity : uint8_t { Statement, Line, Instruction };
enum class Motion : uint8_t { Over, Into, Out, Continue };

enum class StopKind : uint8_t { Entry, Step, Breakpoint, DataBreakpoint, Exception, Pause, GoTo, End };

/// Why the session stands still. `breakpoints` are the ids that were hit; `diagnostics` say why a run failed.
struct Stop {
  StopKind kind = StopKind::Step;
  std::string description;
  std::vector<int> breakpoints;
  std::vector<Diagnostic> diagnostics;
};

/// What the session stops at beside breakpoints.
struct ExceptionFilters {
  bool nonFinite = false;  ///< a step made a NaN or Inf out of finite inputs
  bool matchCast = true;   ///< a shape or type check of the program failed
  bool error = true;       ///< any other failure
};

/// A value in the run: register of a frame at a state, then items of tuples.
struct ValueRef {
  int64_t state = 0;
  int activation = -1;
  int reg = -1;
  std::vector<int> path;
};

class Session {
 public:
  /// Called before each move; true stops with StopKind::Pause.
  using Poll = std::function<bool()>;
  using OnLog = std::function<void(const std::string&)>;

  explicit Session(std::unique_ptr<History> history, int stage = 0);

  History& history() { return *history_; }
  const Program& program() const { return history_->program(); }
  const Stage& stage() const { return *program().stages[static_cast<size_t>(map_.stage())]; }
  const StageMap& map() const { return map_; }
  /// Chooses the stage that places are named in; fails with `debug.stage`.
  Result<Unit> selectStage(int64_t stage);

  int64_t state() const { return state_; }
  /// Looking at a state that is not the newest.
  bool past() const { return state_ < history_->recorded(); }
  /// Nothing comes after the newest state.
  bool ended() const { return !history_->canAdvance(); }

  Stop forward(Motion motion, Granularity granularity, const Poll& poll = {});
  Stop backward(Motion motion, Granularity granularity, const Poll& poll = {});
  /// Forward into the next call of a function that the current frame makes; where it makes none any more in this
  /// binding, to the next one.
  Stop stepInto(int function, const Poll& poll = {});
  /// Shows a state without running; fails with `debug.step` outside what is recorded.
  Result<Stop> goTo(int64_t state);
  /// Runs on to a state that is not recorded yet, past everything that would stop there: it is known from a run before.
  Stop replay(int64_t state, const Poll& poll = {});
  /// Forward to the next time that a binding of a stage is evaluated; fails with `debug.place`.
  Result<Stop> runTo(int stage, StagePlace place, const Poll& poll = {});

  std::vector<Breakpoint>& breakpoints() { return breakpoints_; }
  ExceptionFilters& filters() { return filters_; }
  void onLog(OnLog log) { onLog_ = std::move(log); }
  /// A breakpoint at a binding; not verified when nothing of the program came from it.
  Breakpoint bindingBreakpoint(int stage, StagePlace place) const;
  /// A breakpoint at what writes the memory that a binding's value lies in, in every call of its function.
  Breakpoint dataBreakpoint(int stage, StagePlace place) const;

  /// The binding of the selected stage that the next instruction at a state belongs to.
  StagePlace placeAt(int64_t state) const;
  /// The same for the caller frames of a state.
  StagePlace placeOf(int64_t instruction) const;
  /// The function of the selected stage that the bindings of a function of the program stand in: of a local one, which
  /// a pass made global, the one around it. Empty where it has none there.
  std::string shownFunction(int function) const;

  /// Where the value of a binding of the selected stage is, seen from a frame at the current state; nothing when it
  /// was not computed there yet.
  std::optional<ValueRef> valueOf(int activation, StagePlace place);
  /// The same for all bindings of the stage that have one, in the order of the run, in one walk. With `since`, every
  /// value that a binding got after that state, those that it lost again too.
  std::vector<std::pair<StagePlace, ValueRef>> valuesOf(int activation, int64_t since = -1);
  /// The last value of the binding of a variable in a frame at the current state.
  std::optional<ValueRef> valueNamed(int activation, std::string_view variable);
  Result<Value> read(const ValueRef& ref);
  /// The same; fails with store.not-kept where the recording has nothing of it.
  Result<Value> readKept(const ValueRef& ref);
  /// The same; of a tensor whose elements are not kept what is known without them (Value::described).
  Result<Value> readOrDescribe(const ValueRef& ref);
  /// The same without the promise that a tensor's bytes are those of the state, which makes it cheap.
  Result<Value> describe(const ValueRef& ref);
  /// A value that was found, with what a user made of it since, up to the current state.
  ValueRef current(ValueRef ref) { return newest(std::move(ref), state_); }
  /// What the machine holds now where a value that was found is; refused where it is not held any more
  /// (`debug.gone`), at a state of the past (`debug.past`), or as History::held does.
  Result<vm::Value> held(const ValueRef& ref);
  /// Changes it: the present state has the new value then, and the ones before it what they had.
  Result<Unit> change(const ValueRef& ref, std::variant<vm::Value, MemoryPatch> content);
  /// Statistics of a tensor, which are made when they are first asked for; those of the step that wrote it, where it
  /// was one.
  std::optional<TensorStats> statsOf(const ValueRef& ref, const Value& value);
  /// The last step before `state` that set a register of a frame or wrote its tensor, -1 for an argument. What a user
  /// changed has the step before it.
  int64_t writerOf(const ValueRef& ref);
  /// Whether a tensor was only given its memory: what lies there is left from before, no value of the program.
  bool unwritten(const ValueRef& ref, const Value& value);
  /// Registers of a frame that differ between two states, in order: those that steps between them set or wrote, and
  /// those whose memory such a step wrote.
  std::vector<int> registersBetween(int activation, int64_t one, int64_t other);
  /// The memory (History::memoryAt) in each register of a frame; valid until the next call. It is kept, since the next
  /// question is mostly for a state nearby.
  const std::vector<uint64_t>& memoryHeld(int activation, int64_t state);
  /// Bytes alive over the run.
  MemoryCurve& memoryCurve() { return memoryCurve_; }
  /// The steps along a line.
  Timeline& timeline() { return timeline_; }
  /// The shape heap of a frame at the current state: number and whether it was stored yet, by slot.
  std::vector<std::optional<int64_t>> heapOf(int activation, int64_t state);

 private:
  friend class FrameEnvironment;
  using Until = std::function<bool(int64_t state)>;
  enum class Direction : int { Forward = 1, Backward = -1 };

  Stop run(Direction direction, const Until& until, const Poll& poll);
  std::optional<Stop> crossed(int64_t step, Crossings& crossings);
  std::optional<Stop> reached(int64_t state);
  bool hits(Breakpoint& breakpoint, int64_t state);
  /// Counts a breakpoint that was reached and whose condition holds; whether it stops there.
  bool counts(Breakpoint& breakpoint, int64_t state, int activation);
  /// The frame whose watched register a step touched, -1 for none.
  int watchHit(const Breakpoint& breakpoint, int64_t step);
  bool touches(const DataWatch& watch, int activation, int64_t step);
  Stop atEnd() const;
  Until until(Motion motion, Granularity granularity) const;
  bool startsStatement(int64_t state, bool byLine) const;
  bool entersSet(int64_t state, const Breakpoint& breakpoint) const;
  /// The instruction gives an `if` the value of its branch: no second start of the binding.
  bool endsBranch(int64_t instruction, const Breakpoint& breakpoint) const;
  /// The step before a state, of the same frame, was the last work of the breakpoint's binding.
  bool endsWork(int64_t state, const Breakpoint& breakpoint) const;
  int64_t lastEdit(uint64_t storage, int64_t state) const;
  /// The bindings of a frame that got a value, in the order of the run; behind `since`, else the last of each.
  std::vector<std::pair<StagePlace, ValueRef>> computed(int activation, int64_t since);
  /// A user changed something at the state.
  bool edited(int64_t state) const;
  /// Whether a value that was found is still what its register and memory hold at a later state.
  bool holdsUntil(const ValueRef& ref, int64_t state);
  bool touches(const Edit& edit, const ValueRef& ref);
  /// current(), up to another state.
  ValueRef newest(ValueRef ref, int64_t until);
  /// Adds the values of bindings as edits behind `since` made them, where they are in order.
  void addEdited(int activation, int64_t since, std::vector<std::pair<StagePlace, ValueRef>>& found);

  /// What steps of [from, to), or a user between them, touched: registers of one frame, and memory.
  struct Touched {
    std::set<int> registers;
    std::set<uint64_t> memory;
  };
  Touched touchedBetween(int activation, int64_t from, int64_t to) const;
  int registersOf(int activation) const;

  std::unique_ptr<History> history_;
  StageMap map_;
  int64_t state_ = 0;
  struct {
    int activation = -1;
    int64_t state = -1;
    size_t edits = 0;
    std::vector<uint64_t> memory;
  } held_;  ///< the last answer of memoryHeld
  GivenSteps givenSteps_;
  std::vector<Breakpoint> breakpoints_;
  ExceptionFilters filters_;
  OnLog onLog_;
  MemoryCurve memoryCurve_;
  Timeline timeline_;
  std::map<std::array<int64_t, 6>, TensorStats> stats_;  ///< by storage, its last write and edit, offset, count, type
};

}  // namespace rx::debug
