// Our own requests, each as a tag type: command, Arguments, Body. See requests.h for DAP's.
#pragma once

#include "core/dap/requests.h"
#include "core/dap/rx_types.h"

namespace rx::dap {

/// Compiles a module without running it. The following `launch` without a program runs what was loaded.
struct LoadBody {
  std::vector<StageInfo> stages;
  std::vector<std::string> functions;  ///< that can be run
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LoadBody, stages, functions)
struct Load {
  static constexpr const char* kCommand = "rxs/load";
  using Arguments = LaunchArguments;
  using Body = LoadBody;
};

struct ArgumentsBody {
  std::vector<ParameterCheck> parameters;  ///< in the order of the signature, then what no parameter takes
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArgumentsBody, parameters)
/// How the arguments of the last `launch` fit the parameters of its function, one row each, also where it was refused
/// for them; empty where it was refused before they were looked at.
struct ArgumentsRequest {
  static constexpr const char* kCommand = "rxs/arguments";
  using Arguments = Nothing;
  using Body = ArgumentsBody;
};

struct StagesBody {
  std::vector<StageInfo> stages;
  int64_t selected = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StagesBody, stages, selected)
struct Stages {
  static constexpr const char* kCommand = "rxs/stages";
  using Arguments = Nothing;
  using Body = StagesBody;
};

struct StageArguments {
  int64_t stage = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageArguments, stage)
/// Chooses the stage by whose bindings the engine steps and names places.
struct SelectStage {
  static constexpr const char* kCommand = "rxs/selectStage";
  using Arguments = StageArguments;
  using Body = Position;
};

struct SetBindingBreakpointsArguments {
  std::vector<BindingBreakpoint> breakpoints;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SetBindingBreakpointsArguments, breakpoints)
/// Replaces all breakpoints at bindings, and at the memory of their values.
struct SetBindingBreakpoints {
  static constexpr const char* kCommand = "rxs/setBindingBreakpoints";
  using Arguments = SetBindingBreakpointsArguments;
  using Body = BreakpointsBody;
};

struct WatchArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
  std::vector<std::string> expressions;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WatchArguments, frameId, expressions)
struct WatchBody {
  std::vector<WatchValue> values;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WatchBody, values)
/// Evaluates expressions at the state that is shown; what is wrong with one does not hinder the others.
struct Watch {
  static constexpr const char* kCommand = "rxs/watch";
  using Arguments = WatchArguments;
  using Body = WatchBody;
};

/// At most so many points in one answer.
inline constexpr int64_t kMaxWatchPoints = 1000;
struct WatchHistoryArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
  std::string expression;
  int64_t points = 256;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WatchHistoryArguments, frameId, expression, points)
struct WatchHistoryBody {
  std::vector<WatchPoint> points;  ///< by step
  int64_t states = 0;              ///< recorded states of the frame
  bool sampled = false;            ///< not all of them were looked at
  std::string error;               ///< why no point has a number
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WatchHistoryBody, points, states, sampled, error)
/// What an expression was at the recorded states of a frame. Bounded in points and in time: a long run is sampled.
struct WatchHistory {
  static constexpr const char* kCommand = "rxs/watchHistory";
  using Arguments = WatchHistoryArguments;
  using Body = WatchHistoryBody;
};

struct PositionRequest {
  static constexpr const char* kCommand = "rxs/position";
  using Arguments = Nothing;
  using Body = Position;
};

struct GoToArguments {
  int64_t step = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GoToArguments, step)
/// Shows a recorded step without running. Ends with a `stopped` event, reason "goto".
struct GoTo {
  static constexpr const char* kCommand = "rxs/goto";
  using Arguments = GoToArguments;
  using Body = Nothing;
};

/// Runs to a binding (of `stage`), as a breakpoint that exists once.
struct RunTo {
  static constexpr const char* kCommand = "rxs/runTo";
  using Arguments = BindingBreakpoint;
  using Body = Nothing;
};

struct ReverseStepArguments {
  std::string kind = "over";  ///< "over", "into", "out"
  std::optional<std::string> granularity;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReverseStepArguments, kind, granularity)
/// The reverse steps that DAP has no request for; stepBack is kind "over".
struct ReverseStep {
  static constexpr const char* kCommand = "rxs/reverseStep";
  using Arguments = ReverseStepArguments;
  using Body = Nothing;
};

struct ProgramArguments {
  int64_t start = 0;
  int64_t count = 0;  ///< 0 = all
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramArguments, start, count)
struct ProgramBody {
  int64_t total = 0;
  std::vector<InstructionInfo> instructions;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramBody, total, instructions)
/// The bytecode, whole or a part.
struct ProgramRequest {
  static constexpr const char* kCommand = "rxs/program";
  using Arguments = ProgramArguments;
  using Body = ProgramBody;
};

/// A binding of some stage that belongs to what was asked for.
struct OriginPlace {
  int64_t stage = 0;
  std::string function;
  int64_t binding = -1;
  std::string variable;
  std::string pass;  ///< that made it, empty for an imported one
  int64_t line = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OriginPlace, stage, function, binding, variable, pass, line)
struct OriginArguments {
  std::optional<int64_t> instruction;  ///< else the binding
  int64_t stage = 0;
  std::string function;
  int64_t binding = -1;
  std::optional<std::string> variable;  ///< used where `binding` is -1
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OriginArguments, instruction, stage, function, binding, variable)
struct OriginBody {
  std::vector<OriginPlace> places;    ///< every binding, of all stages, that shares a source binding; by stage
  std::vector<int64_t> instructions;  ///< that work for it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OriginBody, places, instructions)
/// Where an instruction or a binding came from, and what became of it: stage by stage, down to the bytecode.
struct OriginRequest {
  static constexpr const char* kCommand = "rxs/origin";
  using Arguments = OriginArguments;
  using Body = OriginBody;
};

struct TimelineArguments {
  int64_t start = 0;
  int64_t count = 0;  ///< 0 = all
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimelineArguments, start, count)
struct TimelineBody {
  int64_t total = 0;
  std::vector<StepInfo> steps;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimelineBody, total, steps)
struct Timeline {
  static constexpr const char* kCommand = "rxs/timeline";
  using Arguments = TimelineArguments;
  using Body = TimelineBody;
};

struct FrameArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FrameArguments, frameId)
struct RegistersArguments {
  int64_t frameId = 0;      ///< 0 = the innermost
  bool held = false;        ///< only registers that hold something or were changed by the last step
  int64_t activation = -1;  ///< of the answer that `since` goes on from
  int64_t since = -1;  ///< only registers that differ from those at this state or were changed by the last step, those
                       ///< that hold nothing too; -1 = all
  int64_t start = 0;   ///< number of the first register looked at
  int64_t count = 0;   ///< the first so many rows; 0 = all
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RegistersArguments, frameId, held, activation, since, start, count)
struct RegistersBody {
  int64_t activation = -1;
  int64_t since = -1;  ///< as asked; -1 where all is given, since another call of a function is shown
  int64_t next = -1;   ///< where `count` left some out: the `start` to ask on with
  std::vector<RegisterInfo> registers;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RegistersBody, activation, since, next, registers)
struct Registers {
  static constexpr const char* kCommand = "rxs/registers";
  using Arguments = RegistersArguments;
  using Body = RegistersBody;
};

struct ShapeHeapBody {
  std::vector<HeapSlotInfo> slots;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ShapeHeapBody, slots)
struct ShapeHeap {
  static constexpr const char* kCommand = "rxs/shapeHeap";
  using Arguments = FrameArguments;
  using Body = ShapeHeapBody;
};

/// Everything that the text and the graph show beside a function of the selected stage.
struct ValuesArguments {
  int64_t frameId = 0;      ///< 0 = the innermost
  int64_t activation = -1;  ///< of the answer that `since` goes on from
  int64_t since = -1;       ///< all that bindings got after this state; -1 = only the last value of each binding
  int64_t count = 0;        ///< with `since`: the first so many; 0 = all
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ValuesArguments, frameId, activation, since, count)
struct ValuesBody {
  std::string function;
  int64_t activation = -1;
  int64_t since = -1;    ///< as asked; 0 where the answer begins anew, since another call of a function is shown
  bool complete = true;  ///< false where `count` left some out: ask again, since the state of the last one
  std::vector<BindingValue> params;  ///< `binding` is the position
  std::vector<BindingValue> bindings;
  std::vector<SymbolValue> symbols;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ValuesBody, function, activation, since, complete, params, bindings,
                                                symbols)
struct Values {
  static constexpr const char* kCommand = "rxs/values";
  using Arguments = ValuesArguments;
  using Body = ValuesBody;
};

/// A rectangle of a tensor. Empty `begin` and `extent` mean from the start and to the end; both are clipped, and the
/// product of the extents is at most kMaxSliceElements.
inline constexpr int64_t kMaxSliceElements = 10000;
struct SliceArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;  ///< instead of a reference
  std::optional<Against> against;         ///< the distances to another tensor instead of the numbers
  std::vector<int64_t> begin;
  std::vector<int64_t> extent;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SliceArguments, reference, expression, against, begin, extent)
struct SliceBody {
  ValueInfo value;
  std::vector<int64_t> begin;
  std::vector<int64_t> extent;
  std::vector<Json> values;  ///< row-major, see jsonNumber
  std::string bytes;         ///< the elements as they lie in memory, base64; empty with `against`
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SliceBody, value, begin, extent, values, bytes)
struct Slice {
  static constexpr const char* kCommand = "rxs/slice";
  using Arguments = SliceArguments;
  using Body = SliceBody;
};

struct SaveValueArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
  std::string path;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SaveValueArguments, reference, expression, path)
/// Writes a whole tensor as .npy.
struct SaveValue {
  static constexpr const char* kCommand = "rxs/saveValue";
  using Arguments = SaveValueArguments;
  using Body = Nothing;
};

/// A look at a whole tensor (core/tensor/survey.h): its histogram and quantiles, its largest element.
struct StatisticsArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
  std::optional<Against> against;
  int64_t bins = 40;
  std::vector<double> fractions;  ///< of the quantiles: 0.5 is the median
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StatisticsArguments, reference, expression, against, bins, fractions)
struct StatisticsBody {
  int64_t count = 0;
  int64_t looked = 0;  ///< less than `count` where only a sample was looked at
  int64_t nan = 0;
  int64_t positiveInf = 0;
  int64_t negativeInf = 0;
  int64_t zeros = 0;
  int64_t largest = -1;  ///< row-major index
  double low = 0;
  double high = 0;
  std::vector<int64_t> bins;
  std::vector<double> quantiles;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StatisticsBody, count, looked, nan, positiveInf, negativeInf, zeros,
                                                largest, low, high, bins, quantiles)
struct Statistics {
  static constexpr const char* kCommand = "rxs/statistics";
  using Arguments = StatisticsArguments;
  using Body = StatisticsBody;
};

/// Two axes of a tensor as a picture (core/tensor/plane.h).
struct PlaneArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
  std::optional<Against> against;
  int64_t rowAxis = -1;
  int64_t columnAxis = -1;
  std::vector<int64_t> at;
  int64_t rows = 256;  ///< of the picture, at most
  int64_t columns = 256;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PlaneArguments, reference, expression, against, rowAxis, columnAxis, at,
                                                rows, columns)
struct PlaneBody {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t fullRows = 0;
  int64_t fullColumns = 0;
  std::string low;  ///< float32 of each cell, base64, little-endian
  std::string high;
  std::string bad;  ///< a byte of each cell, base64
  bool sampled = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PlaneBody, rows, columns, fullRows, fullColumns, low, high, bad,
                                                sampled)
struct PlaneRequest {
  static constexpr const char* kCommand = "rxs/plane";
  using Arguments = PlaneArguments;
  using Body = PlaneBody;
};

/// The next element that is not finite, or that lies from `low` to `high`; around the end.
struct FindElementArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
  std::optional<Against> against;
  int64_t from = -1;  ///< row-major index to start behind
  bool forward = true;
  std::optional<double> low;  ///< both or none
  std::optional<double> high;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FindElementArguments, reference, expression, against, from, forward,
                                                low, high)
struct FindElementBody {
  int64_t index = -1;  ///< row-major; -1 when there is none
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FindElementBody, index)
struct FindElement {
  static constexpr const char* kCommand = "rxs/findElement";
  using Arguments = FindElementArguments;
  using Body = FindElementBody;
};

/// How far two tensors are apart (core/tensor/comparison.h).
struct CompareArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
  Against against;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompareArguments, reference, expression, against)
struct CompareBody {
  int64_t count = 0;
  int64_t looked = 0;
  int64_t different = 0;
  int64_t nonFinite = 0;
  int64_t firstNonFinite = -1;
  std::vector<double> worst;        ///< absolute, relative, ulp
  std::vector<int64_t> worstIndex;  ///< row-major, -1 where the distance is 0
  std::string otherDtype;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompareBody, count, looked, different, nonFinite, firstNonFinite, worst,
                                                worstIndex, otherDtype)
struct CompareRequest {
  static constexpr const char* kCommand = "rxs/compare";
  using Arguments = CompareArguments;
  using Body = CompareBody;
};

/// The arrays of an .npy or .npz file, to choose one to compare with.
struct ArraysArguments {
  std::string path;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArraysArguments, path)
struct ArrayInfo {
  std::string name;  ///< empty for that of an .npy
  std::string dtype;
  std::vector<int64_t> shape;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArrayInfo, name, dtype, shape)
struct ArraysBody {
  std::vector<ArrayInfo> arrays;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArraysBody, arrays)
struct Arrays {
  static constexpr const char* kCommand = "rxs/arrays";
  using Arguments = ArraysArguments;
  using Body = ArraysBody;
};

struct MemoryBody {
  int64_t liveBytes = 0;
  int64_t peakBytes = 0;
  std::vector<StorageInfo> storages;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MemoryBody, liveBytes, peakBytes, storages)
struct Memory {
  static constexpr const char* kCommand = "rxs/memory";
  using Arguments = Nothing;
  using Body = MemoryBody;
};

/// The result of a run that finished; `items` are those of a tuple.
struct ResultBody {
  ValueInfo value;
  std::vector<ValueInfo> items;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ResultBody, value, items)
struct ResultRequest {
  static constexpr const char* kCommand = "rxs/result";
  using Arguments = Nothing;
  using Body = ResultBody;
};

struct TraceBody {
  std::string path;
  int64_t steps = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TraceBody, path, steps)
struct TraceArguments {
  std::string path;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TraceArguments, path)
/// Where the trace of this run is appended to, and how far it is. A trace file is named at `launch`.
struct Trace {
  static constexpr const char* kCommand = "rxs/trace";
  using Arguments = Nothing;
  using Body = TraceBody;
};

/// Opens a trace that an earlier engine wrote: its steps can be visited as those of a run that ended.
struct OpenTrace {
  static constexpr const char* kCommand = "rxs/openTrace";
  using Arguments = TraceArguments;
  using Body = Position;
};

}  // namespace rx::dap
