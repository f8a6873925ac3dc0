// The requests of DAP 1.71 that the engine answers, each as a tag type: command, Arguments, Body.
#pragma once

#include "core/dap/request.h"
#include "core/dap/types.h"

namespace rx::dap {

/// Arguments or body without content.
struct Nothing {};
inline void to_json(Json& json, const Nothing&) { json = Json::object(); }
inline void from_json(const Json&, Nothing&) {}

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
};
RX_DAP_TYPE(StepArguments, threadId, granularity)

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

struct SetBreakpointsArguments {
  Source source;
  std::vector<SourceBreakpoint> breakpoints;
};
RX_DAP_TYPE(SetBreakpointsArguments, source, breakpoints)
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

/// Filters: "nonfinite" (a NaN or Inf was produced), "matchCast" (a shape check failed), "error".
struct SetExceptionBreakpointsArguments {
  std::vector<std::string> filters;
};
RX_DAP_TYPE(SetExceptionBreakpointsArguments, filters)
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
  std::optional<std::string> dataId;
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

/// What to run; the fields beyond DAP's are ours. `program` is a TVMScript file or a module as JSON text in a file;
/// `ir` is the module as JSON of the IR in the message itself. Parameters and inputs are .npz,
/// .npy or .safetensors files; where nothing says what the inputs are, params.npz and inputs.npz beside the program are
/// taken.
struct LaunchArguments {
  std::string program;
  std::optional<std::string> ir;
  std::string module;  ///< which module of the file, where it holds several
  std::string function = "main";
  std::string params;
  std::string inputs;
  std::vector<std::string> inputFiles;  ///< one .npy for each parameter that no .npz gives, in order
  std::vector<std::string> files;       ///< further .npz, .npy and .safetensors files with arrays by parameter name
  std::vector<std::string> choices;     ///< "PARAMETER=ARRAY", "=@zero" or "=@seed", as `rxs run --map` takes them
  bool ignoreExtra = false;             ///< arrays that no parameter takes are no error
  std::optional<int64_t> seed;          ///< makes the inputs that no file gives
  std::optional<Json> symbols;          ///< symbol name to value, for generated inputs
  std::string passes;                   ///< a pipeline to run instead of the default one
  std::string target;                   ///< what to compile for, as `rxs dap --target` takes it; empty: as told there
  std::string mode;                     ///< "step" or "release"; empty: as told by --mode, else "step"
  bool stopOnEntry = false;
  bool stopOnEnd = false;  ///< at the end a `stopped` event with reason "end" instead of `terminated`
  bool noDebug = false;
  std::string trace;                       ///< file to append the trace to
  std::optional<int64_t> stage;            ///< the stage whose bindings are stepped; 0 is the imported one
  std::optional<int64_t> maxInstructions;  ///< a run ends in a fault after so many
  std::optional<int64_t> maxMemory;        ///< bytes of storage alive at a time, above which it ends in a fault
  std::optional<int64_t> recordBytes;      ///< of overwritten values kept for stepping back; the oldest steps go first
};
RX_DAP_TYPE(LaunchArguments, program, ir, module, function, params, inputs, inputFiles, files, choices, ignoreExtra,
            seed, symbols, passes, target, mode, stopOnEntry, stopOnEnd, noDebug, trace, stage, maxInstructions,
            maxMemory, recordBytes)
struct Launch : RequestOf<"launch", LaunchArguments, Nothing> {};

}  // namespace rx::dap
