// The requests of DAP 1.71 that the engine answers, each as a tag type: command, Arguments, Body.
#pragma once

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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ThreadArguments, threadId)

/// Arguments of next, stepIn, stepOut, stepBack: granularity is "statement" (a binding of the selected stage), "line"
/// or "instruction".
struct StepArguments {
  int64_t threadId = 1;
  std::optional<std::string> granularity;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StepArguments, threadId, granularity)

struct BreakpointsBody {
  std::vector<Breakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BreakpointsBody, breakpoints)

struct Continue {
  static constexpr const char* kCommand = "continue";
  using Arguments = ThreadArguments;
  using Body = Nothing;
};
struct ReverseContinue {
  static constexpr const char* kCommand = "reverseContinue";
  using Arguments = ThreadArguments;
  using Body = Nothing;
};
struct Pause {
  static constexpr const char* kCommand = "pause";
  using Arguments = ThreadArguments;
  using Body = Nothing;
};
struct Next {
  static constexpr const char* kCommand = "next";
  using Arguments = StepArguments;
  using Body = Nothing;
};
struct StepIn {
  static constexpr const char* kCommand = "stepIn";
  using Arguments = StepArguments;
  using Body = Nothing;
};
struct StepOut {
  static constexpr const char* kCommand = "stepOut";
  using Arguments = StepArguments;
  using Body = Nothing;
};
struct StepBack {
  static constexpr const char* kCommand = "stepBack";
  using Arguments = StepArguments;
  using Body = Nothing;
};

struct SetBreakpointsArguments {
  Source source;
  std::vector<SourceBreakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetBreakpointsArguments, source, breakpoints)
struct SetBreakpoints {
  static constexpr const char* kCommand = "setBreakpoints";
  using Arguments = SetBreakpointsArguments;
  using Body = BreakpointsBody;
};

struct SetFunctionBreakpointsArguments {
  std::vector<FunctionBreakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetFunctionBreakpointsArguments, breakpoints)
struct SetFunctionBreakpoints {
  static constexpr const char* kCommand = "setFunctionBreakpoints";
  using Arguments = SetFunctionBreakpointsArguments;
  using Body = BreakpointsBody;
};

struct SetInstructionBreakpointsArguments {
  std::vector<InstructionBreakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetInstructionBreakpointsArguments, breakpoints)
struct SetInstructionBreakpoints {
  static constexpr const char* kCommand = "setInstructionBreakpoints";
  using Arguments = SetInstructionBreakpointsArguments;
  using Body = BreakpointsBody;
};

/// Filters: "nonfinite" (a NaN or Inf was produced), "matchCast" (a shape check failed), "error".
struct SetExceptionBreakpointsArguments {
  std::vector<std::string> filters;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetExceptionBreakpointsArguments, filters)
struct SetExceptionBreakpoints {
  static constexpr const char* kCommand = "setExceptionBreakpoints";
  using Arguments = SetExceptionBreakpointsArguments;
  using Body = Nothing;
};

struct SetDataBreakpointsArguments {
  std::vector<DataBreakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetDataBreakpointsArguments, breakpoints)
struct SetDataBreakpoints {
  static constexpr const char* kCommand = "setDataBreakpoints";
  using Arguments = SetDataBreakpointsArguments;
  using Body = BreakpointsBody;
};

struct DataBreakpointInfoArguments {
  std::optional<int64_t> variablesReference;
  std::string name;
  std::optional<int64_t> frameId;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DataBreakpointInfoArguments, variablesReference, name, frameId)
struct DataBreakpointInfoBody {
  std::optional<std::string> dataId;
  std::string description;
  std::vector<std::string> accessTypes;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DataBreakpointInfoBody, dataId, description, accessTypes)
struct DataBreakpointInfo {
  static constexpr const char* kCommand = "dataBreakpointInfo";
  using Arguments = DataBreakpointInfoArguments;
  using Body = DataBreakpointInfoBody;
};

struct StackTraceArguments {
  int64_t threadId = 1;
  int64_t startFrame = 0;
  int64_t levels = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StackTraceArguments, threadId, startFrame, levels)
struct StackTraceBody {
  std::vector<StackFrame> stackFrames;
  int64_t totalFrames = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StackTraceBody, stackFrames, totalFrames)
struct StackTrace {
  static constexpr const char* kCommand = "stackTrace";
  using Arguments = StackTraceArguments;
  using Body = StackTraceBody;
};

struct ScopesArguments {
  int64_t frameId = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScopesArguments, frameId)
struct ScopesBody {
  std::vector<Scope> scopes;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScopesBody, scopes)
struct Scopes {
  static constexpr const char* kCommand = "scopes";
  using Arguments = ScopesArguments;
  using Body = ScopesBody;
};

struct VariablesArguments {
  int64_t variablesReference = 0;
  int64_t start = 0;
  int64_t count = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VariablesArguments, variablesReference, start, count)
struct VariablesBody {
  std::vector<Variable> variables;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VariablesBody, variables)
struct Variables {
  static constexpr const char* kCommand = "variables";
  using Arguments = VariablesArguments;
  using Body = VariablesBody;
};

struct EvaluateArguments {
  std::string expression;
  std::optional<int64_t> frameId;
  std::optional<std::string> context;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EvaluateArguments, expression, frameId, context)
struct EvaluateBody {
  std::string result;
  std::optional<std::string> type;
  int64_t variablesReference = 0;
  std::optional<int64_t> indexedVariables;
  std::optional<std::string> memoryReference;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EvaluateBody, result, type, variablesReference, indexedVariables,
                                                memoryReference)
struct Evaluate {
  static constexpr const char* kCommand = "evaluate";
  using Arguments = EvaluateArguments;
  using Body = EvaluateBody;
};

struct DisassembleArguments {
  std::string memoryReference;
  int64_t offset = 0;
  int64_t instructionOffset = 0;
  int64_t instructionCount = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DisassembleArguments, memoryReference, offset, instructionOffset,
                                                instructionCount)
struct DisassembleBody {
  std::vector<DisassembledInstruction> instructions;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DisassembleBody, instructions)
struct Disassemble {
  static constexpr const char* kCommand = "disassemble";
  using Arguments = DisassembleArguments;
  using Body = DisassembleBody;
};

struct ReadMemoryArguments {
  std::string memoryReference;
  int64_t offset = 0;
  int64_t count = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReadMemoryArguments, memoryReference, offset, count)
/// `data` is base64.
struct ReadMemoryBody {
  std::string address;
  std::optional<int64_t> unreadableBytes;
  std::optional<std::string> data;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReadMemoryBody, address, unreadableBytes, data)
struct ReadMemory {
  static constexpr const char* kCommand = "readMemory";
  using Arguments = ReadMemoryArguments;
  using Body = ReadMemoryBody;
};

struct SourceArguments {
  std::optional<Source> source;
  int64_t sourceReference = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceArguments, source, sourceReference)
struct SourceBody {
  std::string content;
  std::optional<std::string> mimeType;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SourceBody, content, mimeType)
struct SourceText {
  static constexpr const char* kCommand = "source";
  using Arguments = SourceArguments;
  using Body = SourceBody;
};

/// What to run; the fields beyond DAP's are ours. `program` is a TVMScript file or a module as JSON text in a file;
/// `ir` is the module as JSON of the IR in the message itself. Parameters and inputs are .npz,
/// .npy or .safetensors files; where nothing says what the inputs are, params.npz and inputs.npz beside the program are taken.
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
  bool stopOnEntry = false;
  bool stopOnEnd = false;  ///< at the end a `stopped` event with reason "end" instead of `terminated`
  bool noDebug = false;
  std::string trace;             ///< file to append the trace to
  std::optional<int64_t> stage;  ///< the stage whose bindings are stepped; 0 is the imported one
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LaunchArguments, program, ir, module, function, params, inputs,
                                                inputFiles, files, choices, ignoreExtra, seed, symbols, passes,
                                                stopOnEntry, stopOnEnd, noDebug, trace, stage)
struct Launch {
  static constexpr const char* kCommand = "launch";
  using Arguments = LaunchArguments;
  using Body = Nothing;
};

}  // namespace rx::dap
