// The requests of DAP 1.71 that the engine answers, each as a tag type: command, Arguments, Body.
#pragma once

#include "core/dap/launch.h"

namespace rx::dap {

/// Arguments of the requests that only name the thread; the engine has one, number 1.
struct ThreadArguments {
  int64_t threadId = 1;
};
RX_DAP_TYPE(ThreadArguments, threadId)

/// Arguments of next, stepIn, stepOut, stepBack: granularity is "statement" (a binding of the selected stage), "line"
/// or "instruction".
struct StepArguments {
  int64_t threadId = 1;
  std::optional<std::string> granularity;
  std::optional<int64_t> targetId;  ///< of stepIn: an answer of stepInTargets
};
RX_DAP_TYPE(StepArguments, threadId, granularity, targetId)

struct BreakpointsBody {
  std::vector<Breakpoint> breakpoints;
};
RX_DAP_TYPE(BreakpointsBody, breakpoints)

struct Continue : RequestOf<"continue", ThreadArguments, Nothing> {};
struct ReverseContinue : RequestOf<"reverseContinue", ThreadArguments, Nothing> {};
struct Pause : RequestOf<"pause", ThreadArguments, Nothing> {};
struct Next : RequestOf<"next", StepArguments, Nothing> {};
struct StepIn : RequestOf<"stepIn", StepArguments, Nothing> {};
struct StepOut : RequestOf<"stepOut", StepArguments, Nothing> {};
struct StepBack : RequestOf<"stepBack", StepArguments, Nothing> {};

/// Who leaves a listening engine to another client says so: that it will be back, or that the program shall not end.
struct DisconnectArguments {
  bool restart = false;
  std::optional<bool> terminateDebuggee;
  bool leaves() const { return restart || terminateDebuggee == false; }
};
RX_DAP_TYPE(DisconnectArguments, restart, terminateDebuggee)

/// Body of the event `memory`: which bytes of what a client knows under a name were written.
struct MemoryEvent {
  static constexpr const char* kEvent = "memory";
  std::string memoryReference;
  int64_t offset = 0;
  int64_t count = 0;
};
RX_DAP_TYPE(MemoryEvent, memoryReference, offset, count)

/// What DAP says of suspending is nothing that the engine does.
struct Disconnect : RequestOf<"disconnect", DisconnectArguments, Nothing> {};
struct Terminate : RequestOf<"terminate", Nothing, Nothing> {};

/// What a client says of itself; the rest of what DAP has there makes no difference to the engine.
struct InitializeArguments {
  bool linesStartAt1 = true;
  bool columnsStartAt1 = true;
  std::string pathFormat = "path";  ///< or "uri"
  bool supportsInvalidatedEvent = false;
  bool supportsMemoryEvent = false;
};
RX_DAP_TYPE(InitializeArguments, linesStartAt1, columnsStartAt1, pathFormat, supportsInvalidatedEvent,
            supportsMemoryEvent)

struct CancelArguments {
  std::optional<int64_t> requestId;
};
RX_DAP_TYPE(CancelArguments, requestId)
/// Takes back a request that is not being answered yet.
struct Cancel : RequestOf<"cancel", CancelArguments, Nothing> {};

struct SetBreakpointsArguments {
  Source source;
  std::vector<SourceBreakpoint> breakpoints;
  std::vector<int64_t> lines;  ///< what older clients send instead
};
RX_DAP_TYPE(SetBreakpointsArguments, source, breakpoints, lines)
struct SetBreakpoints : RequestOf<"setBreakpoints", SetBreakpointsArguments, BreakpointsBody> {};

struct SetFunctionBreakpointsArguments {
  std::vector<FunctionBreakpoint> breakpoints;
};
RX_DAP_TYPE(SetFunctionBreakpointsArguments, breakpoints)
struct SetFunctionBreakpoints : RequestOf<"setFunctionBreakpoints", SetFunctionBreakpointsArguments, BreakpointsBody> {
};

struct SetInstructionBreakpointsArguments {
  std::vector<InstructionBreakpoint> breakpoints;
};
RX_DAP_TYPE(SetInstructionBreakpointsArguments, breakpoints)
struct SetInstructionBreakpoints
    : RequestOf<"setInstructionBreakpoints", SetInstructionBreakpointsArguments, BreakpointsBody> {};

struct ExceptionFilterOptions {
  std::string filterId;
};
RX_DAP_TYPE(ExceptionFilterOptions, filterId)
/// Filters: "nonfinite" (a NaN or Inf was produced), "matchCast" (a shape check failed), "error".
struct SetExceptionBreakpointsArguments {
  std::vector<std::string> filters;
  std::vector<ExceptionFilterOptions> filterOptions;  ///< further filters
};
RX_DAP_TYPE(SetExceptionBreakpointsArguments, filters, filterOptions)
struct SetExceptionBreakpoints : RequestOf<"setExceptionBreakpoints", SetExceptionBreakpointsArguments, Nothing> {};

struct SetDataBreakpointsArguments {
  std::vector<DataBreakpoint> breakpoints;
};
RX_DAP_TYPE(SetDataBreakpointsArguments, breakpoints)
struct SetDataBreakpoints : RequestOf<"setDataBreakpoints", SetDataBreakpointsArguments, BreakpointsBody> {};

struct DataBreakpointInfoArguments {
  std::optional<int64_t> variablesReference;
  std::string name;
  std::optional<int64_t> frameId;
};
RX_DAP_TYPE(DataBreakpointInfoArguments, variablesReference, name, frameId)
struct DataBreakpointInfoBody {
  Nullable<std::string> dataId;
  std::string description;
  std::vector<std::string> accessTypes;
};
RX_DAP_TYPE(DataBreakpointInfoBody, dataId, description, accessTypes)
struct DataBreakpointInfo : RequestOf<"dataBreakpointInfo", DataBreakpointInfoArguments, DataBreakpointInfoBody> {};

struct StackTraceArguments {
  int64_t threadId = 1;
  int64_t startFrame = 0;
  int64_t levels = 0;
};
RX_DAP_TYPE(StackTraceArguments, threadId, startFrame, levels)
struct StackTraceBody {
  std::vector<StackFrame> stackFrames;
  int64_t totalFrames = 0;
};
RX_DAP_TYPE(StackTraceBody, stackFrames, totalFrames)
struct StackTrace : RequestOf<"stackTrace", StackTraceArguments, StackTraceBody> {};

struct ScopesArguments {
  int64_t frameId = 0;
};
RX_DAP_TYPE(ScopesArguments, frameId)
struct ScopesBody {
  std::vector<Scope> scopes;
};
RX_DAP_TYPE(ScopesBody, scopes)
struct Scopes : RequestOf<"scopes", ScopesArguments, ScopesBody> {};

struct VariablesArguments {
  int64_t variablesReference = 0;
  int64_t start = 0;
  int64_t count = 0;
};
RX_DAP_TYPE(VariablesArguments, variablesReference, start, count)
struct VariablesBody {
  std::vector<Variable> variables;
};
RX_DAP_TYPE(VariablesBody, variables)
struct Variables : RequestOf<"variables", VariablesArguments, VariablesBody> {};

struct EvaluateArguments {
  std::string expression;
  std::optional<int64_t> frameId;
  std::optional<std::string> context;
};
RX_DAP_TYPE(EvaluateArguments, expression, frameId, context)
struct EvaluateBody {
  std::string result;
  std::optional<std::string> type;
  int64_t variablesReference = 0;
  std::optional<int64_t> indexedVariables;
  std::optional<std::string> memoryReference;
};
RX_DAP_TYPE(EvaluateBody, result, type, variablesReference, indexedVariables, memoryReference)
struct Evaluate : RequestOf<"evaluate", EvaluateArguments, EvaluateBody> {};

struct SetVariableArguments {
  int64_t variablesReference = 0;
  std::string name;
  std::string value;
};
RX_DAP_TYPE(SetVariableArguments, variablesReference, name, value)
/// The value as it is now: of setVariable and setExpression.
struct AssignedBody {
  std::string value;
  std::optional<std::string> type;
  int64_t variablesReference = 0;
  std::optional<int64_t> indexedVariables;
  std::optional<std::string> memoryReference;
};
RX_DAP_TYPE(AssignedBody, value, type, variablesReference, indexedVariables, memoryReference)
/// Changes a value of the run at the present stop; a number fills a whole tensor, a list has its shape.
struct SetVariable : RequestOf<"setVariable", SetVariableArguments, AssignedBody> {};

struct SetExpressionArguments {
  std::string expression;
  std::string value;
  std::optional<int64_t> frameId;
};
RX_DAP_TYPE(SetExpressionArguments, expression, value, frameId)
struct SetExpression : RequestOf<"setExpression", SetExpressionArguments, AssignedBody> {};

struct DisassembleArguments {
  std::string memoryReference;
  int64_t offset = 0;
  int64_t instructionOffset = 0;
  int64_t instructionCount = 0;
};
RX_DAP_TYPE(DisassembleArguments, memoryReference, offset, instructionOffset, instructionCount)
struct DisassembleBody {
  std::vector<DisassembledInstruction> instructions;
};
RX_DAP_TYPE(DisassembleBody, instructions)
struct Disassemble : RequestOf<"disassemble", DisassembleArguments, DisassembleBody> {};

struct ReadMemoryArguments {
  std::string memoryReference;
  int64_t offset = 0;
  int64_t count = 0;
};
RX_DAP_TYPE(ReadMemoryArguments, memoryReference, offset, count)
/// `data` is base64.
struct ReadMemoryBody {
  std::string address;
  std::optional<int64_t> unreadableBytes;
  std::optional<std::string> data;
};
RX_DAP_TYPE(ReadMemoryBody, address, unreadableBytes, data)
struct ReadMemory : RequestOf<"readMemory", ReadMemoryArguments, ReadMemoryBody> {};

/// `data` is base64.
struct WriteMemoryArguments {
  std::string memoryReference;
  int64_t offset = 0;
  bool allowPartial = false;
  std::string data;
};
RX_DAP_TYPE(WriteMemoryArguments, memoryReference, offset, allowPartial, data)
struct WriteMemoryBody {
  int64_t offset = 0;
  int64_t bytesWritten = 0;
};
RX_DAP_TYPE(WriteMemoryBody, offset, bytesWritten)
struct WriteMemory : RequestOf<"writeMemory", WriteMemoryArguments, WriteMemoryBody> {};

struct SourceArguments {
  std::optional<Source> source;
  int64_t sourceReference = 0;
};
RX_DAP_TYPE(SourceArguments, source, sourceReference)
struct SourceBody {
  std::string content;
  std::optional<std::string> mimeType;
};
RX_DAP_TYPE(SourceBody, content, mimeType)
struct SourceText : RequestOf<"source", SourceArguments, SourceBody> {};

struct BreakpointLocationsArguments {
  Source source;
  int64_t line = 1;
  std::optional<int64_t> endLine;
};
RX_DAP_TYPE(BreakpointLocationsArguments, source, line, endLine)
struct BreakpointLocation {
  int64_t line = 0;
};
RX_DAP_TYPE(BreakpointLocation, line)
struct BreakpointLocationsBody {
  std::vector<BreakpointLocation> breakpoints;
};
RX_DAP_TYPE(BreakpointLocationsBody, breakpoints)
struct BreakpointLocations : RequestOf<"breakpointLocations", BreakpointLocationsArguments, BreakpointLocationsBody> {};

struct LoadedSourcesBody {
  std::vector<Source> sources;
};
RX_DAP_TYPE(LoadedSourcesBody, sources)
/// The files that the module was read from, then the text of every stage.
struct LoadedSources : RequestOf<"loadedSources", Nothing, LoadedSourcesBody> {};

/// A stage of the compiler, as what DAP calls a module.
struct ModuleRow {
  int64_t id = 0;
  std::string name;
};
RX_DAP_TYPE(ModuleRow, id, name)
struct ModulesArguments {
  int64_t startModule = 0;
  int64_t moduleCount = 0;
};
RX_DAP_TYPE(ModulesArguments, startModule, moduleCount)
struct ModulesBody {
  std::vector<ModuleRow> modules;
  int64_t totalModules = 0;
};
RX_DAP_TYPE(ModulesBody, modules, totalModules)
struct Modules : RequestOf<"modules", ModulesArguments, ModulesBody> {};

struct LocationsArguments {
  int64_t locationReference = 0;
};
RX_DAP_TYPE(LocationsArguments, locationReference)
struct LocationsBody {
  Source source;
  int64_t line = 1;
};
RX_DAP_TYPE(LocationsBody, source, line)
/// Where a variable is bound.
struct Locations : RequestOf<"locations", LocationsArguments, LocationsBody> {};

struct GotoTargetsArguments {
  Source source;
  int64_t line = 0;
};
RX_DAP_TYPE(GotoTargetsArguments, source, line)
struct GotoTarget {
  int64_t id = 0;
  std::string label;
  int64_t line = 0;
  std::optional<std::string> instructionPointerReference;
};
RX_DAP_TYPE(GotoTarget, id, label, line, instructionPointerReference)
struct GotoTargetsBody {
  std::vector<GotoTarget> targets;
};
RX_DAP_TYPE(GotoTargetsBody, targets)
/// The recorded steps at a line: a program is not made to do something else, its past is visited.
struct GotoTargets : RequestOf<"gotoTargets", GotoTargetsArguments, GotoTargetsBody> {};
struct GotoArguments {
  int64_t threadId = 1;
  int64_t targetId = 0;
};
RX_DAP_TYPE(GotoArguments, threadId, targetId)
struct Goto : RequestOf<"goto", GotoArguments, Nothing> {};

struct RestartFrameArguments {
  int64_t frameId = 0;
};
RX_DAP_TYPE(RestartFrameArguments, frameId)
/// Back to the first step of a frame.
struct RestartFrame : RequestOf<"restartFrame", RestartFrameArguments, Nothing> {};

struct StepInTargetsArguments {
  int64_t frameId = 0;
};
RX_DAP_TYPE(StepInTargetsArguments, frameId)
struct StepInTarget {
  int64_t id = 0;
  std::string label;
};
RX_DAP_TYPE(StepInTarget, id, label)
struct StepInTargetsBody {
  std::vector<StepInTarget> targets;
};
RX_DAP_TYPE(StepInTargetsBody, targets)
/// The functions that the binding which comes next calls.
struct StepInTargets : RequestOf<"stepInTargets", StepInTargetsArguments, StepInTargetsBody> {};

struct CompletionsArguments {
  std::optional<int64_t> frameId;
  std::string text;
  int64_t column = 1;
};
RX_DAP_TYPE(CompletionsArguments, frameId, text, column)
struct CompletionItem {
  std::string label;
  std::optional<std::string> detail;
  std::optional<std::string> type;
  int64_t start = 1;   ///< in the text, counted as columns are: in code units of UTF-16
  int64_t length = 0;  ///< that it replaces, of the same
};
RX_DAP_TYPE(CompletionItem, label, detail, type, start, length)
struct CompletionsBody {
  std::vector<CompletionItem> targets;
};
RX_DAP_TYPE(CompletionsBody, targets)
struct Completions : RequestOf<"completions", CompletionsArguments, CompletionsBody> {};

}  // namespace rx::dap
