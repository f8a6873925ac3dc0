#include "core/debug/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/debug/frame_environment.h"
#include "core/tensor/stats.h"

namespace rx::debug {

namespace {

/// "2 NaN and 3 Inf"
std::string nonFiniteText(const TensorStats& stats) {
  if (stats.nanCount == 0) return fmt::format("{} Inf", stats.infCount);
  if (stats.infCount == 0) return fmt::format("{} NaN", stats.nanCount);
  return fmt::format("{} NaN and {} Inf", stats.nanCount, stats.infCount);
}

/// The index of the first element that is not finite: "[0, 4, 4]"; its number where the shape is not kept.
std::string elementText(const Produced& produced, int64_t element) {
  if (!produced.value.tensor) return std::to_string(element);
  return fmt::format("[{}]", fmt::join(elementIndex(produced.value.tensor->shape(), element), ", "));
}

std::string problemText(const Diagnostic& problem) {
  return "the condition can not be evaluated here: " + problem.message;
}

/// "divide wrote the memory of %51 (weights)"
std::string touchText(const Program& program, const DataWatch& watch, const StepRecord& record) {
  const Instruction& instruction = program.instructions[static_cast<size_t>(record.instruction)];
  const bool sets = record.dst == watch.reg;
  const std::string who = instruction.callee.empty() ? "the instruction" : instruction.callee;
  return fmt::format("{} {} %{}", who, sets ? "set" : watch.write ? "wrote the memory of" : "read", watch.reg);
}

}  // namespace

Session::Session(std::unique_ptr<History> history, int stage)
    : history_(std::move(history)), map_(history_->program(), stage), state_(history_->oldest()) {}

Result<Unit> Session::selectStage(int64_t stage) {
  if (stage < 0 || stage >= static_cast<int64_t>(program().stages.size()))
    return fail("debug.stage", fmt::format("there is no stage {}; the last is {}", stage, program().stages.size() - 1));
  map_ = StageMap(program(), static_cast<int>(stage));
  return Unit();
}

StagePlace Session::placeOf(int64_t instruction) const {
  return instruction < 0 ? StagePlace() : map_.placeOf(instruction);
}

StagePlace Session::placeAt(int64_t state) const { return placeOf(history_->next(state).instruction); }

bool Session::startsStatement(int64_t state, bool byLine) const {
  int64_t instruction = history_->next(state).instruction;
  if (instruction < 0 || !map_.significant(instruction)) return false;
  StagePlace here = map_.placeOf(instruction);
  for (int64_t before = history_->previous(state); before >= 0; before = history_->previous(before)) {
    int64_t earlier = history_->next(before).instruction;
    if (!map_.significant(earlier)) continue;
    StagePlace there = map_.placeOf(earlier);
    if (!byLine) return !(there == here);
    const StageBinding *a = stage().binding(here), *b = stage().binding(there);
    return a->line != b->line || a->file != b->file;
  }
  return true;
}

bool Session::entersSet(int64_t state, const Breakpoint& breakpoint) const {
  for (int64_t before = history_->previous(state); before >= 0; before = history_->previous(before)) {
    int64_t earlier = history_->next(before).instruction;
    if (breakpoint.at(earlier)) return false;
    if (map_.significant(earlier)) return true;
  }
  return true;
}

bool Session::endsBranch(int64_t instruction, const Breakpoint& breakpoint) const {
  const auto chooses = [this](int64_t at) { return program().instructions[static_cast<size_t>(at)].op == OpKind::If; };
  const auto& all = breakpoint.instructions;
  const auto choice = std::find_if(all.begin(), all.end(), chooses);
  return choice != all.end() && instruction > *choice;
}

bool Session::endsWork(int64_t state, const Breakpoint& breakpoint) const {
  const int64_t before = history_->previous(state);
  const int64_t done = before < 0 ? -1 : history_->next(before).instruction;
  if (done < 0 || !breakpoint.at(done)) return false;
  // Of an `if` only one branch runs, so that any instruction of the set may be the last one.
  const auto branches = [this](int64_t at) { return program().instructions[static_cast<size_t>(at)].op == OpKind::If; };
  const bool chooses = std::any_of(breakpoint.instructions.begin(), breakpoint.instructions.end(), branches);
  return chooses ? !branches(done) : done == breakpoint.instructions.back();
}

Session::Until Session::until(Motion motion, Granularity granularity) const {
  if (motion == Motion::Continue) return [](int64_t) { return false; };
  // After the last return the outermost function is still what "over" is about.
  int start = std::max(1, history_->depth(state_));
  // Back out of a function is to before its call; forward out is to behind it: both are a smaller depth.
  if (motion == Motion::Out) return [this, start](int64_t s) { return history_->depth(s) < start; };
  bool into = motion == Motion::Into;
  // From the management that precedes a binding's work, the next binding is another one, not that work.
  Next from = history_->next(state_);
  bool before = from.instruction >= 0 && !map_.significant(from.instruction) && placeOf(from.instruction).known();
  return [this, start, into, granularity, from, before](int64_t s) {
    if (!into && history_->depth(s) > start) return false;
    if (before && granularity != Granularity::Instruction) {
      Next next = history_->next(s);
      if (next.activation == from.activation && placeOf(next.instruction) == placeOf(from.instruction)) return false;
    }
    return granularity == Granularity::Instruction || startsStatement(s, granularity == Granularity::Line);
  };
}

Stop Session::forward(Motion motion, Granularity granularity, const Poll& poll) {
  return run(Direction::Forward, until(motion, granularity), poll);
}

Stop Session::stepInto(int function, const Poll& poll) {
  const int start = history_->depth(state_);
  const int64_t begin = program().functions[static_cast<size_t>(function)].begin;
  const Until over = until(Motion::Over, Granularity::Statement);
  const auto there = [&](int64_t s) {
    return (history_->depth(s) == start + 1 && history_->next(s).instruction == begin) || over(s);
  };
  return run(Direction::Forward, there, poll);
}

Stop Session::backward(Motion motion, Granularity granularity, const Poll& poll) {
  return run(Direction::Backward, until(motion, granularity), poll);
}

Stop Session::atEnd() const {
  switch (history_->end()) {
    case RunEnd::Failed: {
      const auto& why = history_->failure();
      bool cast = why.front().rule.starts_with("vm.match");
      bool stop = cast ? filters_.matchCast : filters_.error;
      return {stop ? StopKind::Exception : StopKind::End, why.front().message, {}, why};
    }
    case RunEnd::Cut:
      return {StopKind::End, "the trace ends here: the engine that wrote it died", {}, {}};
    case RunEnd::Finished:
      return {StopKind::End, "the run is over", {}, {}};
    case RunEnd::Open:
      break;
  }
  return {StopKind::End, "the trace ends here", {}, {}};
}

Stop Session::run(Direction direction, const Until& until, const Poll& poll) {
  // What the run failed with was told when it got here: to go on from there is to end.
  if (direction == Direction::Forward && state_ == history_->recorded() && history_->end() == RunEnd::Failed)
    return {StopKind::End, history_->failure().front().message, {}, {}};
  Crossings crossings(*history_, direction == Direction::Forward);
  for (;;) {
    if (poll && poll()) return {StopKind::Pause, "paused", {}, {}};
    if (direction == Direction::Forward) {
      if (state_ == history_->recorded()) {
        if (!history_->canAdvance()) return atEnd();
        history_->advance();
        // An instruction that failed is told before a wish to pause that came meanwhile.
        if (state_ == history_->recorded() && !history_->canAdvance()) return atEnd();
        if (state_ == history_->recorded()) continue;
      }
      ++state_;
    } else {
      if (state_ <= history_->oldest())
        return {StopKind::Entry, state_ ? "older steps were dropped to save memory" : "the start of the run", {}, {}};
      --state_;
    }
    if (auto stop = crossed(direction == Direction::Forward ? state_ - 1 : state_, crossings)) return *stop;
    if (auto stop = reached(state_)) return *stop;
    if (until(state_)) return {StopKind::Step, {}, {}, {}};
  }
}

std::optional<Stop> Session::crossed(int64_t step, Crossings& crossings) {
  Stop stop{StopKind::DataBreakpoint, {}, {}, {}};
  for (Breakpoint& breakpoint : breakpoints_) {
    if (breakpoint.kind != BreakKind::Data || !breakpoint.verified()) continue;
    if (!crossings.may(breakpoint.watch, step)) continue;
    const int activation = watchHit(breakpoint, step);
    if (activation < 0) continue;
    // Its condition is about what the step left behind, also on the way back.
    const int64_t here = std::exchange(state_, step + 1);
    const bool stops = counts(breakpoint, step + 1, activation);
    state_ = here;
    if (!stops) continue;
    stop.breakpoints.push_back(breakpoint.id);
    stop.description = touchText(program(), breakpoint.watch, history_->step(step));
    if (breakpoint.problem) stop.description = problemText(*breakpoint.problem);
  }
  if (!stop.breakpoints.empty()) return stop;
  if (!filters_.nonFinite || !crossings.may({}, step) || !history_->finiteness(step).made) return {};
  const StepRecord record = history_->step(step);
  stop.kind = StopKind::Exception;
  StagePlace place = placeOf(record.instruction);
  const StageBinding* binding = stage().binding(place);
  const Instruction& instruction = program().instructions[static_cast<size_t>(record.instruction)];
  for (const Produced& produced : record.produced) {
    const auto stats = history_->statistics(step, produced.reg);
    if (!stats || stats->finite()) continue;
    stop.description =
        fmt::format("{}: {} made {} among {} elements out of finite inputs, the first at {}",
                    binding ? binding->variable.view() : std::string_view(instruction.variable), instruction.callee,
                    nonFiniteText(*stats), stats->count, elementText(produced, stats->firstNonFinite));
    break;
  }
  return stop;
}

int Session::watchHit(const Breakpoint& breakpoint, int64_t step) {
  const DataWatch& watch = breakpoint.watch;
  if (watch.activation >= 0) return touches(watch, watch.activation, step) ? watch.activation : -1;
  const StepRecord record = history_->step(step);
  // A return sets a register of the caller, a kernel writes memory of any frame below it on the stack.
  for (int a = std::max(record.activation, record.dstActivation); a >= 0; a = history_->activation(a).parent) {
    if (history_->activation(a).function == watch.function && touches(watch, a, step)) return a;
  }
  return -1;
}

bool Session::touches(const DataWatch& watch, int activation, int64_t step) {
  const StepRecord record = history_->step(step);
  if (watch.read && record.activation == activation) {
    const auto& arguments = program().instructions[static_cast<size_t>(record.instruction)].arguments;
    if (std::find(arguments.begin(), arguments.end(), watch.reg) != arguments.end()) return true;
  }
  if (!watch.write) return false;
  if (record.dstActivation == activation && record.dst == watch.reg) {
    // Of a value, memory that is given to it or taken away is no write; of a register, it is.
    const bool managed = program().instructions[static_cast<size_t>(record.instruction)].housekeeping;
    return watch.activation >= 0 || !managed;
  }
  if (record.produced.empty()) return false;
  // Another register, or another function, may have written the memory that the watched tensor lies in.
  if (history_->next(step).activation < activation) return false;
  Value watched = history_->registerAt(step + 1, activation, watch.reg);
  if (watched.kind != ValueKind::Tensor && watched.kind != ValueKind::Storage) return false;
  for (const Produced& produced : record.produced) {
    Value written = history_->registerAt(step + 1, record.activation, produced.reg);
    if (written.storage == watched.storage && written.kind == ValueKind::Tensor) return true;
  }
  return false;
}

bool Session::hits(Breakpoint& breakpoint, int64_t state) {
  if (breakpoint.kind == BreakKind::Data || !breakpoint.verified()) return false;
  if (breakpoint.after && !endsWork(state, breakpoint)) return false;
  Next next = history_->next(state);
  if (!breakpoint.after && (next.instruction < 0 || !breakpoint.at(next.instruction))) return false;
  if (breakpoint.kind == BreakKind::Binding && !breakpoint.after &&
      (endsBranch(next.instruction, breakpoint) || !entersSet(state, breakpoint)))
    return false;
  if (breakpoint.kind == BreakKind::Function && history_->previous(state) >= 0) return false;
  return counts(breakpoint, state, next.activation);
}

bool Session::counts(Breakpoint& breakpoint, int64_t state, int activation) {
  FrameEnvironment environment(*this, activation);
  breakpoint.problem.reset();
  if (!breakpoint.condition.empty()) {
    Result<Quantity> holds = evaluate(breakpoint.condition, environment);
    // A condition that can not be evaluated stops and says so: nobody shall wait for a breakpoint that never comes.
    if (!holds) {
      breakpoint.problem = holds.diagnostics().front();
      return true;
    }
    if (!truthOf(*holds)) return false;
  }
  const auto at = breakpoint.hits.insert(state).first;
  if (breakpoint.hitCondition) {
    // Only where the past is walked again others come behind; a loop that is run for the first time never counts them.
    const bool last = std::next(at) == breakpoint.hits.end();
    const auto count = last ? std::ssize(breakpoint.hits) : std::distance(breakpoint.hits.begin(), at) + 1;
    if (!breakpoint.hitCondition->holds(count)) return false;
  }
  if (breakpoint.logMessage.empty()) return true;
  if (onLog_) onLog_(interpolate(breakpoint.logMessage, environment));
  return false;
}

std::optional<Stop> Session::reached(int64_t state) {
  Stop stop{StopKind::Breakpoint, {}, {}, {}};
  for (Breakpoint& breakpoint : breakpoints_)
    if (hits(breakpoint, state)) {
      stop.breakpoints.push_back(breakpoint.id);
      if (breakpoint.problem) stop.description = problemText(*breakpoint.problem);
    }
  if (stop.breakpoints.empty()) return {};
  return stop;
}

Result<Stop> Session::goTo(int64_t state) {
  if (state < history_->oldest() || state > history_->recorded())
    return fail("debug.step", fmt::format("step {} is not recorded; steps {} to {} are", state, history_->oldest(),
                                          history_->recorded()));
  state_ = state;
  return Stop{StopKind::GoTo, {}, {}, {}};
}

Stop Session::replay(int64_t state, const Poll& poll) {
  Stop stop{StopKind::GoTo, {}, {}, {}};
  while (history_->recorded() < state && stop.kind == StopKind::GoTo) {
    if (poll && poll())
      stop = {StopKind::Pause, "paused", {}, {}};
    else if (!history_->canAdvance())
      stop = atEnd();
    else
      history_->advance();
  }
  state_ = history_->recorded();
  return stop;
}

Breakpoint Session::bindingBreakpoint(int stage, StagePlace place) const {
  Breakpoint breakpoint;
  if (stage < 0 || stage >= static_cast<int>(program().stages.size())) {
    breakpoint.message = fmt::format("there is no stage {}", stage);
    return breakpoint;
  }
  const Stage& rows = *program().stages[static_cast<size_t>(stage)];
  const StageBinding* binding = rows.binding(place);
  if (!binding) {
    breakpoint.message = "the stage has no such binding";
    return breakpoint;
  }
  breakpoint.variable = binding->variable.string();
  breakpoint.instructions = stage == map_.stage() ? map_.instructionsOf(program(), place)
                                                  : StageMap(program(), stage).instructionsOf(program(), place);
  if (breakpoint.instructions.empty())
    breakpoint.message = "no instruction came from this binding: the passes removed it";
  return breakpoint;
}

Breakpoint Session::dataBreakpoint(int stage, StagePlace place) const {
  Breakpoint breakpoint = bindingBreakpoint(stage, place);
  // Of another name of what one call writes, that call is what there is to wait for.
  const Stage* rows = breakpoint.verified() ? program().stages[static_cast<size_t>(stage)].get() : nullptr;
  const StageBinding* named = rows ? rows->binding(place) : nullptr;
  const StageBinding* source = named ? rows->binding({place.function, named->source}) : nullptr;
  if (source && source->outputs <= 1) {
    breakpoint = bindingBreakpoint(stage, {place.function, named->source});
    breakpoint.variable = named->variable.string();
  }
  breakpoint.kind = BreakKind::Data;
  for (size_t i = breakpoint.instructions.size(); i-- > 0;) {
    const Instruction& instruction = program().instructions[static_cast<size_t>(breakpoint.instructions[i])];
    if (instruction.op != OpKind::Call) continue;
    // A kernel writes into its last argument, anything else gives its value to a register.
    const bool kernel = instruction.dst < 0 && !instruction.arguments.empty();
    breakpoint.watch.reg = kernel ? instruction.arguments.back() : instruction.dst;
    breakpoint.watch.function = instruction.function;
    if (breakpoint.watch.reg >= 0) return breakpoint;
  }
  if (breakpoint.verified()) breakpoint.message = "no register holds the value of this binding";
  return breakpoint;
}

Result<Stop> Session::runTo(int stage, StagePlace place, const Poll& poll) {
  Breakpoint target = bindingBreakpoint(stage, place);
  if (!target.verified()) return fail("debug.place", target.message);
  return run(
      Direction::Forward, [&](int64_t s) { return hits(target, s); }, poll);
}

}  // namespace rx::debug
