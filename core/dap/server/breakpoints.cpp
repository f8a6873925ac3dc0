#include <algorithm>
#include <charconv>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"

namespace rx::dap {

namespace {

debug::Breakpoint refused(std::string why) {
  debug::Breakpoint breakpoint;
  breakpoint.message = std::move(why);
  return breakpoint;
}

/// A message that is wrong would be logged as such at every hit.
void setMessage(debug::Breakpoint& breakpoint, const std::optional<std::string>& message) {
  breakpoint.logMessage = message.value_or("");
  if (const auto checked = debug::checkLogMessage(breakpoint.logMessage); !checked)
    breakpoint.message = checked.diagnostics().front().message;
}

}  // namespace

void Adapter::clear(Setter setter, const std::string& source) {
  replaced_.clear();
  std::erase_if(session_->breakpoints(), [&](debug::Breakpoint& b) {
    const auto at = setters_.find(b.id);
    if (at == setters_.end() || at->second != std::pair(setter, source)) return false;
    setters_.erase(at);
    replaced_.push_back(std::move(b));
    return true;
  });
}

Breakpoint Adapter::add(Setter setter, debug::Breakpoint breakpoint, const std::string& source) {
  breakpoint.id = nextBreakpoint_++;
  // A client sends its whole list for every change: what stays goes on counting.
  const auto before = std::find_if(replaced_.begin(), replaced_.end(),
                                   [&](const debug::Breakpoint& b) { return b.sameAs(breakpoint); });
  if (before != replaced_.end()) breakpoint.hits = before->hits;
  Breakpoint answer{breakpoint.id, breakpoint.verified(), {}, {}, {}, {}};
  if (!breakpoint.verified()) answer.message = breakpoint.message;
  if (!breakpoint.instructions.empty()) {
    const int64_t first = breakpoint.instructions.front();
    answer.instructionReference = instructionReference(first);
    const Place place = placeOfInstruction(first);
    answer.line = place.line;
    answer.source = place.source;
  }
  setters_[breakpoint.id] = {setter, source};
  session_->breakpoints().push_back(std::move(breakpoint));
  return answer;
}

debug::Breakpoint Adapter::atLine(uint32_t file, uint32_t line, int64_t* shown) const {
  const debug::Program& program = session_->program();
  const debug::Stage& imported = *program.stages.front();
  const debug::LinePlace place = imported.placeAtLine(file, line);
  if (const debug::StageBinding* binding = imported.binding(place.binding)) {
    *shown = binding->line;
    return session_->bindingBreakpoint(0, place.binding);
  }
  *shown = line;
  if (place.returnOf < 0)
    return refused("no binding begins here, and none follows before the branch or function is left");
  const int function = program.functionIndex(imported.functions()[static_cast<size_t>(place.returnOf)].name.view());
  debug::Breakpoint breakpoint;
  breakpoint.kind = debug::BreakKind::Instruction;
  for (int64_t i = 0; i < static_cast<int64_t>(program.instructions.size()); ++i) {
    const debug::Instruction& instruction = program.instructions[static_cast<size_t>(i)];
    if (instruction.function == function && instruction.op == debug::OpKind::Ret) breakpoint.instructions.push_back(i);
  }
  return breakpoint.instructions.empty() ? refused("the passes made this function a part of others") : breakpoint;
}

Result<BreakpointsBody> Adapter::setBreakpoints(const SetBreakpointsArguments& arguments) {
  std::string path = arguments.source.path.value_or(arguments.source.name.value_or(""));
  clear(Setter::Source, path);
  BreakpointsBody body;
  const int file = sourceNumber(arguments.source);
  std::vector<SourceBreakpoint> all = arguments.breakpoints;
  if (all.empty())
    for (int64_t line : arguments.lines) all.emplace_back().line = line;
  for (const SourceBreakpoint& wanted : all) {
    int64_t shown = wanted.line;
    const auto line = static_cast<uint32_t>(std::clamp<int64_t>(wanted.line, 0, UINT32_MAX));
    debug::Breakpoint breakpoint = file < 0 ? refused("the program was not read from this file")
                                            : atLine(static_cast<uint32_t>(file), line, &shown);
    setMessage(breakpoint, wanted.logMessage);
    debug::setConditions(breakpoint, wanted.condition, wanted.hitCondition);
    Breakpoint answer = add(Setter::Source, std::move(breakpoint), path);
    answer.line = shown;
    answer.source = arguments.source;
    body.breakpoints.push_back(std::move(answer));
  }
  return body;
}

Result<BreakpointsBody> Adapter::setFunctionBreakpoints(const SetFunctionBreakpointsArguments& arguments) {
  clear(Setter::Function);
  BreakpointsBody body;
  for (const FunctionBreakpoint& wanted : arguments.breakpoints) {
    debug::Breakpoint breakpoint;
    breakpoint.kind = debug::BreakKind::Function;
    int function = session_->program().functionIndex(wanted.name);
    if (function < 0) {
      breakpoint.message = "the program has no function of this name";
    } else {
      breakpoint.instructions = {session_->program().functions[static_cast<size_t>(function)].begin};
    }
    debug::setConditions(breakpoint, wanted.condition, wanted.hitCondition);
    body.breakpoints.push_back(add(Setter::Function, std::move(breakpoint)));
  }
  return body;
}

Result<BreakpointsBody> Adapter::setInstructionBreakpoints(const SetInstructionBreakpointsArguments& arguments) {
  clear(Setter::Instruction);
  BreakpointsBody body;
  auto count = static_cast<int64_t>(session_->program().instructions.size());
  for (const InstructionBreakpoint& wanted : arguments.breakpoints) {
    debug::Breakpoint breakpoint;
    breakpoint.kind = debug::BreakKind::Instruction;
    auto index = instructionIndex(wanted.instructionReference);
    int64_t at = 0;
    if (!index || __builtin_add_overflow(*index, wanted.offset.value_or(0), &at) || at < 0 || at >= count) {
      breakpoint.message = "there is no such instruction";
    } else {
      breakpoint.instructions = {at};
    }
    debug::setConditions(breakpoint, wanted.condition, wanted.hitCondition);
    body.breakpoints.push_back(add(Setter::Instruction, std::move(breakpoint)));
  }
  return body;
}

Result<debug::StagePlace> Adapter::placeOf(const BindingBreakpoint& wanted) const {
  const auto& stages = session_->program().stages;
  if (wanted.stage < 0 || wanted.stage >= static_cast<int64_t>(stages.size()))
    return fail("debug.stage", "there is no stage " + std::to_string(wanted.stage));
  const debug::Stage& stage = *stages[static_cast<size_t>(wanted.stage)];
  int function = stage.functionIndex(wanted.function);
  if (function < 0) return fail("debug.place", "the stage has no function of this name");
  if (wanted.binding >= 0 || !wanted.variable) {
    debug::StagePlace place{function, static_cast<int>(std::clamp<int64_t>(wanted.binding, -1, INT32_MAX))};
    if (!stage.binding(place)) return fail("debug.place", "the function has no such binding");
    return place;
  }
  for (const debug::StageBinding& binding : stage.functions()[static_cast<size_t>(function)].bindings)
    if (binding.variable.view() == *wanted.variable) return debug::StagePlace{function, binding.ordinal};
  return fail("debug.place", "the function has no variable of this name");
}

debug::Breakpoint Adapter::made(const BindingBreakpoint& wanted) const {
  debug::Breakpoint breakpoint;
  const debug::Program& program = session_->program();
  if (wanted.instruction) {
    const int function = program.functionIndex(wanted.function);
    if (function < 0) return refused("the program has no function of this name");
    const debug::VmFunction& held = program.functions[static_cast<size_t>(function)];
    breakpoint.kind = debug::BreakKind::Instruction;
    if (*wanted.instruction < 0 || *wanted.instruction >= held.end - held.begin)
      return refused("the function has no such instruction");
    breakpoint.instructions = {held.begin + *wanted.instruction};
  } else if (wanted.access && wanted.reg) {
    breakpoint.kind = debug::BreakKind::Data;
    breakpoint.watch.function = program.functionIndex(wanted.function);
    breakpoint.watch.reg = static_cast<int>(std::clamp<int64_t>(*wanted.reg, -1, INT32_MAX));
    const bool known =
        breakpoint.watch.function >= 0 && breakpoint.watch.reg >= 0 &&
        breakpoint.watch.reg < program.functions[static_cast<size_t>(breakpoint.watch.function)].registers;
    if (!known) breakpoint.message = "the program has no such register";
  } else {
    Result<debug::StagePlace> place = placeOf(wanted);
    if (!place) return refused(place.diagnostics().front().message);
    const int stage = static_cast<int>(wanted.stage);
    breakpoint = wanted.access ? session_->dataBreakpoint(stage, *place) : session_->bindingBreakpoint(stage, *place);
  }
  if (wanted.access) debug::setAccess(breakpoint.watch, *wanted.access);
  return breakpoint;
}

std::vector<BreakpointHits> Adapter::hits() const {
  std::vector<BreakpointHits> rows;
  for (const debug::Breakpoint& breakpoint : session_->breakpoints()) {
    BreakpointHits row{breakpoint.id, static_cast<int64_t>(breakpoint.hits.size()), {}, 0, 0};
    if (breakpoint.problem) {
      row.error = breakpoint.problem->message;
      row.errorBegin = unitsBefore(breakpoint.condition, breakpoint.problem->span.begin);
      row.errorEnd = unitsBefore(breakpoint.condition, breakpoint.problem->span.end);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<BreakpointsBody> Adapter::setBindingBreakpoints(const SetBindingBreakpointsArguments& arguments) {
  clear(Setter::Binding);
  BreakpointsBody body;
  for (const BindingBreakpoint& wanted : arguments.breakpoints) {
    debug::Breakpoint breakpoint = made(wanted);
    setMessage(breakpoint, wanted.logMessage);
    debug::setConditions(breakpoint, wanted.condition, wanted.hitCondition);
    body.breakpoints.push_back(add(Setter::Binding, std::move(breakpoint)));
  }
  return body;
}

Result<Nothing> Adapter::setExceptionBreakpoints(const SetExceptionBreakpointsArguments& arguments) {
  debug::ExceptionFilters filters{false, false, false};
  const std::pair<const char*, bool*> known[] = {
      {"nonfinite", &filters.nonFinite}, {"matchCast", &filters.matchCast}, {"error", &filters.error}};
  std::vector<std::string> names = arguments.filters;
  for (const ExceptionFilterOptions& option : arguments.filterOptions) names.push_back(option.filterId);
  for (const std::string& name : names) {
    auto it = std::find_if(std::begin(known), std::end(known), [&](const auto& row) { return name == row.first; });
    if (it == std::end(known))
      return fail("dap.arguments", "there is no exception filter `" + escapedForDisplay(name) + "`");
    *it->second = true;
  }
  session_->filters() = filters;
  return Nothing();
}

Result<DataBreakpointInfoBody> Adapter::dataBreakpointInfo(const DataBreakpointInfoArguments& arguments) {
  int activation = -1;
  if (arguments.variablesReference) {
    RX_TRY(scope, container(*arguments.variablesReference));
    activation = scope.ref.activation;
  } else {
    RX_TRY(found, activationOf(arguments.frameId.value_or(0)));
    activation = found;
  }
  debug::FrameEnvironment environment(*session_, activation);
  auto ref = environment.find(arguments.name);
  if (!ref) return DataBreakpointInfoBody{{}, "`" + escapedForDisplay(arguments.name) + "` is no value here", {}};
  return DataBreakpointInfoBody{std::to_string(ref->activation) + ":" + std::to_string(ref->reg),
                                "%" + std::to_string(ref->reg) + " and the memory of its tensor",
                                {"read", "write", "readWrite"}};
}

Result<BreakpointsBody> Adapter::setDataBreakpoints(const SetDataBreakpointsArguments& arguments) {
  clear(Setter::Data);
  BreakpointsBody body;
  for (const DataBreakpoint& wanted : arguments.breakpoints) {
    debug::Breakpoint breakpoint;
    breakpoint.kind = debug::BreakKind::Data;
    debug::DataWatch& watch = breakpoint.watch;
    const char *begin = wanted.dataId.data(), *end = begin + wanted.dataId.size();
    auto first = std::from_chars(begin, end, watch.activation);
    bool colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
    auto second = colon ? std::from_chars(first.ptr + 1, end, watch.reg) : first;
    bool known = colon && second.ec == std::errc() && second.ptr == end && watch.activation >= 0 && watch.reg >= 0 &&
                 watch.activation < session_->history().activationCount();
    if (!known) breakpoint.message = "there is no such data";
    debug::setAccess(watch, wanted.accessType.value_or("write"));
    debug::setConditions(breakpoint, wanted.condition, wanted.hitCondition);
    body.breakpoints.push_back(add(Setter::Data, std::move(breakpoint)));
  }
  return body;
}

}  // namespace rx::dap
