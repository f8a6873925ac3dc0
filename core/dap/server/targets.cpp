// Where a client may go from here, and what it may write: targets of goto and of steps, completions.
#include <fmt/format.h>

#include <algorithm>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/expression/words.h"

namespace rx::dap {

namespace {

/// Targets and completions in one answer.
constexpr size_t kMostTargets = 200;

}  // namespace

Result<GotoTargetsBody> Adapter::gotoTargets(const GotoTargetsArguments& arguments) {
  GotoTargetsBody body;
  const debug::Stage& imported = *session_->program().stages.front();
  const int file = sourceNumber(arguments.source);
  if (file < 0) return body;
  const auto line = static_cast<uint32_t>(std::clamp<int64_t>(arguments.line, 0, UINT32_MAX));
  const debug::StagePlace place = imported.placeAtLine(static_cast<uint32_t>(file), line).binding;
  const debug::StageBinding* binding = imported.binding(place);
  if (!binding) return body;
  const std::vector<int64_t> starts = session_->bindingBreakpoint(0, place).instructions;
  const debug::History& history = session_->history();
  for (int64_t s = history.recorded(); s >= history.oldest() && body.targets.size() < kMostTargets && !starts.empty();
       --s) {
    if (history.next(s).instruction != starts.front()) continue;
    body.targets.push_back({s, fmt::format("step {}: {}", s, binding->variable.view()), binding->line,
                            instructionReference(starts.front())});
  }
  return body;
}

Result<Nothing> Adapter::gotoTarget(const GotoArguments& arguments) { return goTo({arguments.targetId}); }

Result<Nothing> Adapter::restartFrame(const RestartFrameArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  const debug::History& history = session_->history();
  return goTo({history.activation(activation).callStep + 1});
}

Result<StepInTargetsBody> Adapter::stepInTargets(const StepInTargetsArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  StepInTargetsBody body;
  const debug::Next next = session_->history().next(session_->state());
  if (next.instruction < 0 || next.activation != activation) return body;
  const debug::Program& program = session_->program();
  const auto& instructions = program.instructions;
  const auto caller = instructions[static_cast<size_t>(next.instruction)].function;
  for (int64_t at : session_->map().instructionsOf(program, session_->placeOf(next.instruction))) {
    const int called = instructions[static_cast<size_t>(at)].calledFunction;
    if (called < 0 || at < next.instruction || instructions[static_cast<size_t>(at)].function != caller) continue;
    const auto known = [&](const StepInTarget& target) { return target.id == called + 1; };
    if (std::none_of(body.targets.begin(), body.targets.end(), known))
      body.targets.push_back({called + 1, program.functions[static_cast<size_t>(called)].name});
  }
  addKernelTargets(body);
  return body;
}

Result<Nothing> Adapter::stepIn(const StepArguments& arguments) {
  if (isKernelThread(arguments.threadId)) return stepThreads({arguments.threadId});
  if (arguments.targetId && isKernelTarget(*arguments.targetId)) return stepIntoKernel(*arguments.targetId);
  if (!arguments.targetId) return move(true, debug::Motion::Into, arguments.granularity);
  const int64_t function = *arguments.targetId - 1;
  if (function < 0 || function >= static_cast<int64_t>(session_->program().functions.size()))
    return fail("dap.reference", fmt::format("there is no target {}", *arguments.targetId));
  run([this, function] { return session_->stepInto(static_cast<int>(function), poll_); });
  return Nothing();
}

Result<CompletionsBody> Adapter::completions(const CompletionsArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId.value_or(0)));
  const size_t cursor = offsetOfUtf16(arguments.text, arguments.column - 1);
  const debug::WordPlace word = debug::wordPlace(arguments.text, cursor);
  if (!word.possible) return CompletionsBody();
  const std::string_view text = arguments.text;
  const std::string_view prefix = text.substr(word.begin, std::min(cursor, word.end) - word.begin);
  const int64_t start = unitsBefore(text, word.begin) + 1;
  const int64_t length = unitsBefore(text, word.end) + 1 - start;
  CompletionsBody body;
  const auto offer = [&](std::string_view name, std::string_view detail, const char* type) {
    if (name.empty() || !name.starts_with(prefix) || body.targets.size() >= kMostTargets) return;
    const auto same = [&](const CompletionItem& item) { return item.label == name; };
    if (std::any_of(body.targets.begin(), body.targets.end(), same)) return;
    body.targets.push_back({std::string(name), std::string(detail), type, start, length});
  };
  if (!word.member) {
    for (const auto& [place, ref] : session_->valuesOf(activation))
      offer(session_->stage().binding(place)->variable.view(), "binding", "variable");
    const debug::VmFunction& function = functionOf(activation);
    for (const std::string& name : function.registerNames) offer(name, "variable", "variable");
    for (const debug::HeapSlot& slot : function.heap) offer(slot.expression, "symbol", "variable");
    for (int i = 0; i < function.registers; ++i) offer(fmt::format("%{}", i), "register", "variable");
  }
  for (const debug::Word& each : debug::expressionWords())
    if (word.member ? each.member : each.least > 0) offer(each.name, each.help, word.member ? "property" : "function");
  return body;
}

}  // namespace rx::dap
