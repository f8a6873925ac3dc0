#include "core/dap/server/adapter.h"

namespace rx::dap {

template <class Arguments, auto Method>
Result<Json> Adapter::call(Adapter& adapter, const Json& arguments) {
  if constexpr (std::is_same_v<Arguments, Json>) {
    return (adapter.*Method)(arguments);
  } else {
    RX_TRY(decoded, decode<Arguments>(arguments, "arguments"));
    RX_TRY(body, (adapter.*Method)(decoded));
    return encode(body);
  }
}

#define RX_HANDLER(command, needs, Arguments, method) \
  { command, Needs::needs, &Adapter::call<Arguments, &Adapter::method> }

const Adapter::Handler Adapter::kHandlers[] = {
    RX_HANDLER("initialize", Nothing, InitializeArguments, initialize),
    RX_HANDLER("rxs/load", Initialized, LaunchArguments, load),
    RX_HANDLER("launch", Initialized, LaunchArguments, launch),
    RX_HANDLER("attach", Initialized, LaunchArguments, launch),
    RX_HANDLER("rxs/arguments", Initialized, dap::Nothing, argumentsRequest),
    RX_HANDLER("rxs/openTrace", Initialized, PathArguments, openTrace),
    RX_HANDLER("restart", Stopped, dap::Nothing, restart),
    RX_HANDLER("configurationDone", Session, dap::Nothing, configurationDone),
    RX_HANDLER("disconnect", Nothing, DisconnectArguments, disconnect),
    RX_HANDLER("terminate", Nothing, dap::Nothing, terminate),
    RX_HANDLER("threads", Initialized, Json, threads),
    RX_HANDLER("pause", Session, ThreadArguments, pause),
    RX_HANDLER("setBreakpoints", Session, SetBreakpointsArguments, setBreakpoints),
    RX_HANDLER("setFunctionBreakpoints", Session, SetFunctionBreakpointsArguments, setFunctionBreakpoints),
    RX_HANDLER("setInstructionBreakpoints", Session, SetInstructionBreakpointsArguments, setInstructionBreakpoints),
    RX_HANDLER("setDataBreakpoints", Session, SetDataBreakpointsArguments, setDataBreakpoints),
    RX_HANDLER("setExceptionBreakpoints", Session, SetExceptionBreakpointsArguments, setExceptionBreakpoints),
    RX_HANDLER("rxs/setBindingBreakpoints", Session, SetBindingBreakpointsArguments, setBindingBreakpoints),
    RX_HANDLER("rxs/stages", Session, dap::Nothing, stages),
    RX_HANDLER("rxs/program", Session, RangeArguments, program),
    RX_HANDLER("rxs/origin", Session, OriginArguments, origin),
    RX_HANDLER("rxs/trace", Session, dap::Nothing, trace),
    RX_HANDLER("source", Session, SourceArguments, source),
    RX_HANDLER("disassemble", Session, DisassembleArguments, disassemble),
    RX_HANDLER("dataBreakpointInfo", Stopped, DataBreakpointInfoArguments, dataBreakpointInfo),
    RX_HANDLER("breakpointLocations", Session, BreakpointLocationsArguments, breakpointLocations),
    RX_HANDLER("loadedSources", Session, dap::Nothing, loadedSources),
    RX_HANDLER("modules", Session, ModulesArguments, modules),
    RX_HANDLER("locations", Stopped, LocationsArguments, locations),
    RX_HANDLER("gotoTargets", Stopped, GotoTargetsArguments, gotoTargets),
    RX_HANDLER("goto", Stopped, GotoArguments, gotoTarget),
    RX_HANDLER("restartFrame", Stopped, RestartFrameArguments, restartFrame),
    RX_HANDLER("stepInTargets", Stopped, StepInTargetsArguments, stepInTargets),
    RX_HANDLER("completions", Stopped, CompletionsArguments, completions),
    RX_HANDLER("continue", Stopped, ThreadArguments, go),
    RX_HANDLER("reverseContinue", Stopped, ThreadArguments, reverseGo),
    RX_HANDLER("next", Stopped, StepArguments, next),
    RX_HANDLER("stepIn", Stopped, StepArguments, stepIn),
    RX_HANDLER("stepOut", Stopped, StepArguments, stepOut),
    RX_HANDLER("stepBack", Stopped, StepArguments, stepBack),
    RX_HANDLER("rxs/stepThreads", Stopped, StepThreadsArguments, stepThreads),
    RX_HANDLER("rxs/chooseGroup", Stopped, ChooseGroupArguments, chooseGroup),
    RX_HANDLER("rxs/kernelThreads", Stopped, KernelThreadsArguments, kernelThreads),
    RX_HANDLER("rxs/reverseStep", Stopped, ReverseStepArguments, reverseStep),
    RX_HANDLER("rxs/goto", Stopped, GoToArguments, goTo),
    RX_HANDLER("rxs/runTo", Stopped, BindingBreakpoint, runTo),
    RX_HANDLER("rxs/selectStage", Stopped, StageArguments, selectStage),
    RX_HANDLER("rxs/position", Stopped, dap::Nothing, positionRequest),
    RX_HANDLER("stackTrace", Stopped, StackTraceArguments, stackTrace),
    RX_HANDLER("scopes", Stopped, ScopesArguments, scopes),
    RX_HANDLER("variables", Stopped, VariablesArguments, variables),
    RX_HANDLER("evaluate", Stopped, EvaluateArguments, evaluate),
    RX_HANDLER("setVariable", Stopped, SetVariableArguments, setVariable),
    RX_HANDLER("setExpression", Stopped, SetExpressionArguments, setExpression),
    RX_HANDLER("writeMemory", Stopped, WriteMemoryArguments, writeMemory),
    RX_HANDLER("rxs/changePast", Stopped, ChangePastArguments, changePast),
    RX_HANDLER("rxs/watch", Stopped, WatchArguments, watch),
    RX_HANDLER("rxs/watchHistory", Stopped, WatchHistoryArguments, watchHistory),
    RX_HANDLER("readMemory", Stopped, ReadMemoryArguments, readMemory),
    RX_HANDLER("exceptionInfo", Stopped, Json, exceptionInfo),
    RX_HANDLER("rxs/timeline", Session, RangeArguments, timeline),
    RX_HANDLER("rxs/timelineBars", Session, TimelineBarsArguments, timelineBars),
    RX_HANDLER("rxs/instructionTimes", Session, RangeArguments, instructionTimes),
    RX_HANDLER("rxs/nonFinite", Session, Nothing, nonFinite),
    RX_HANDLER("rxs/bindingStep", Stopped, BindingStepArguments, bindingStep),
    RX_HANDLER("rxs/registers", Stopped, RegistersArguments, registers),
    RX_HANDLER("rxs/shapeHeap", Stopped, FrameArguments, shapeHeap),
    RX_HANDLER("rxs/values", Stopped, ValuesArguments, values),
    RX_HANDLER("rxs/slice", Stopped, SliceArguments, slice),
    RX_HANDLER("rxs/statistics", Stopped, StatisticsArguments, statistics),
    RX_HANDLER("rxs/plane", Stopped, PlaneArguments, plane),
    RX_HANDLER("rxs/findElement", Stopped, FindElementArguments, findElement),
    RX_HANDLER("rxs/compare", Stopped, CompareArguments, compare),
    RX_HANDLER("rxs/arrays", Stopped, PathArguments, arrays),
    RX_HANDLER("rxs/saveValue", Stopped, SaveValueArguments, saveValue),
    RX_HANDLER("rxs/memory", Stopped, dap::MemoryArguments, memory),
    RX_HANDLER("rxs/result", Stopped, dap::Nothing, result),
};
#undef RX_HANDLER

Adapter::Adapter(Host host, Emit emit, std::function<bool()> poll, CancelToken cancel, debug::Pulse* pulse)
    : host_(std::move(host)),
      emit_(std::move(emit)),
      poll_(std::move(poll)),
      cancel_(std::move(cancel)),
      pulse_(pulse) {}

/// Requests whose arguments and answers are DAP's; those of `launch` and `attach` are ours.
bool Adapter::isDap(const Handler& handler) {
  const std::string_view command = handler.command;
  return !command.starts_with("rxs/") && command != "launch" && command != "attach";
}

Result<Unit> Adapter::allowed(const Handler& handler) const {
  if (handler.needs == Needs::Nothing) return Unit();
  if (!initialized_) return fail("dap.sequence", "the first request is `initialize`");
  if (handler.needs == Needs::Initialized) return Unit();
  if (!session_) return fail("dap.sequence", std::string("`") + handler.command + "` needs a program: send `launch`");
  if (handler.needs == Needs::Session) return Unit();
  if (running_) return fail("dap.running", std::string("`") + handler.command + "` needs the program to be stopped");
  if (!configured_) return fail("dap.sequence", "the run starts with `configurationDone`");
  return Unit();
}

Result<Json> Adapter::handle(const Request& request) {
  for (const Handler& handler : kHandlers) {
    if (request.command != handler.command) continue;
    RX_CHECK(allowed(handler));
    if (!isDap(handler)) return handler.run(*this, request.arguments);
    Json arguments = request.arguments;
    view_.incoming(arguments);
    RX_TRY(body, handler.run(*this, arguments));
    view_.outgoing(body);
    return body;
  }
  return fail("dap.unknown-request", "there is no request `" + escapedForDisplay(request.command) + "`");
}

void Adapter::finish() {
  // What a motion starts may answer further requests, which set their own continuation.
  while (after_) std::exchange(after_, nullptr)();
}

}  // namespace rx::dap
