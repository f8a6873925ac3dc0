// Our own requests about the steps of a run: rows of some, bars for all, and which of them worked for a binding. None
// is answered with a row for each step of a long run, and each looks at steps for a bounded time.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/dap/server/adapter.h"

namespace rx::dap {

namespace {

/// How long an answer may keep the program waiting.
constexpr std::chrono::milliseconds kPart{30};
constexpr int64_t kMostBars = 10'000;

}  // namespace

/// Of a step that is kept and has ended.
StepInfo Adapter::stepInfo(int64_t step) {
  debug::History& history = session_->history();
  const debug::StepRecord record = history.step(step);
  const auto& instruction = session_->program().instructions[static_cast<size_t>(record.instruction)];
  StepInfo row;
  row.step = step;
  row.instruction = record.instruction;
  row.function = session_->program().functions[static_cast<size_t>(instruction.function)].name;
  row.what = instruction.what();
  debug::StagePlace place = session_->placeOf(record.instruction);
  if (const auto* binding = session_->stage().binding(place)) {
    row.binding = place.ordinal;
    row.bindingFunction = session_->stage().functions()[static_cast<size_t>(place.function)].name.string();
    row.variable = binding->variable.string();
  }
  row.depth = history.depth(step);
  row.microseconds = static_cast<double>(record.nanoseconds) / 1000;
  row.builtin = !instruction.callsKernel();
  row.compileMicroseconds = static_cast<double>(record.compiling) / 1000;
  if (!record.produced.empty()) {
    const debug::Finiteness found = history.finiteness(step);
    row.nonFinite = found.made;
    row.holdsNonFinite = found.holds;
  }
  return row;
}

Result<TimelineBody> Adapter::timeline(const RangeArguments& arguments) {
  TimelineBody body;
  debug::History& history = session_->history();
  body.total = history.recorded();
  int64_t from = std::clamp<int64_t>(std::max(arguments.start, history.oldest()), 0, body.total);
  int64_t to = arguments.count > 0 ? from + std::min(arguments.count, body.total - from) : body.total;
  const auto end = std::chrono::steady_clock::now() + kPart;
  for (int64_t s = from; s < to; ++s) {
    // Whether values are finite is looked at here first, which for large ones takes time: then the part is shorter.
    const bool late = arguments.count > 0 && s > from && std::chrono::steady_clock::now() > end;
    if (history.timed(s).instruction < 0 || late) break;
    body.steps.push_back(stepInfo(s));
  }
  return body;
}

Result<NonFiniteBody> Adapter::nonFinite(const Nothing&) {
  debug::History& history = session_->history();
  NonFiniteBody body;
  body.more = !session_->timeline().look(history, kPart);
  const debug::NonFiniteCalls& found = session_->timeline().nonFinite();
  body.calls = found.calls;
  if (found.step >= history.oldest()) body.first = stepInfo(found.step);
  return body;
}

Result<TimelineBarsBody> Adapter::timelineBars(const TimelineBarsArguments& arguments) {
  if (arguments.bars < 0 || arguments.bars > kMostBars)
    return fail("dap.arguments", fmt::format("`bars` is from 0 to {}", kMostBars));
  debug::History& history = session_->history();
  debug::Timeline& timeline = session_->timeline();
  TimelineBarsBody body;
  body.more = !timeline.look(history, kPart);
  body.recorded = history.recorded();
  body.oldest = timeline.first();
  body.length = timeline.length(arguments.equal);
  body.microseconds = static_cast<double>(timeline.nanoseconds()) / 1000;
  body.compileMicroseconds = static_cast<double>(timeline.compiling()) / 1000;
  if (arguments.state) body.place = timeline.placeOf(history, *arguments.state, arguments.equal);
  body.from = std::clamp(arguments.from, 0.0, body.length);
  body.to = std::clamp(arguments.to.value_or(body.length), body.from, body.length);
  if (arguments.bars == 0) return body;
  const double least = (body.to - body.from) / static_cast<double>(arguments.bars);
  for (const debug::TimelineBar& bar : timeline.bars(history, {body.from, body.to, least, arguments.equal})) {
    body.steps.push_back(bar.first);
    body.last = bar.last;
    if (body.places.empty()) body.places.push_back(bar.begin);
    body.places.push_back(bar.end);
    body.times.push_back(static_cast<double>(bar.nanoseconds) / 1000);
    body.instructions.push_back(bar.instruction);
    body.marks.push_back((bar.kernel ? kBarKernel : 0) | (bar.made ? kBarMadeNonFinite : 0) |
                         (bar.holds ? kBarHoldsNonFinite : 0));
  }
  return body;
}

Result<InstructionTimesBody> Adapter::instructionTimes(const RangeArguments& arguments) {
  InstructionTimesBody body;
  body.more = !session_->timeline().look(session_->history(), kPart);
  const std::vector<int64_t>& times = session_->timeline().byInstruction();
  body.total = static_cast<int64_t>(times.size());
  const int64_t from = std::clamp<int64_t>(arguments.start, 0, body.total);
  const int64_t to = arguments.count > 0 ? from + std::min(arguments.count, body.total - from) : body.total;
  for (int64_t i = from; i < to; ++i)
    body.microseconds.push_back(static_cast<double>(times[static_cast<size_t>(i)]) / 1000);
  return body;
}

Result<BindingStepBody> Adapter::bindingStep(const BindingStepArguments& arguments) {
  RX_TRY(place, placeOf({session_->map().stage(), arguments.function, arguments.binding, {}, {}, {}, {}, {}, {}, {}}));
  const debug::History& history = session_->history();
  const auto& program = session_->program();
  int64_t prepares = -1;  // the last step that works for it without being a kernel's
  const auto worksFor = [&](int64_t step) {
    const int64_t instruction = history.timed(step).instruction;
    if (instruction < 0 || session_->placeOf(instruction) != place) return false;
    if (program.instructions[static_cast<size_t>(instruction)].callsKernel()) return true;
    prepares = std::max(prepares, step);
    return false;
  };
  constexpr int64_t kBetweenPolls = 1024;
  const int64_t state = session_->state(), oldest = history.oldest(), recorded = history.recorded();
  for (int64_t step = state - 1; step >= oldest; --step) {
    if (step % kBetweenPolls == 0 && cancel_.cancelled()) return fail("dap.cancelled", "the engine is being ended");
    if (worksFor(step)) return BindingStepBody{step};
  }
  for (int64_t step = state; step < recorded; ++step) {
    if (step % kBetweenPolls == 0 && cancel_.cancelled()) return fail("dap.cancelled", "the engine is being ended");
    if (worksFor(step)) return BindingStepBody{step};
  }
  return BindingStepBody{prepares};
}

}  // namespace rx::dap
