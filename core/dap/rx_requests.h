// Our own requests, each as a tag type: command, Arguments, Body. See requests.h for DAP's.
#pragma once

#include "core/dap/requests.h"
#include "core/dap/rx_types.h"

namespace rx::dap {

/// A file.
struct PathArguments {
  std::string path;
};
RX_DAP_TYPE(PathArguments, path)

/// Compiles a module without running it. The following `launch` without a program runs what was loaded.
struct LoadBody {
  std::vector<StageInfo> stages;
  std::vector<std::string> functions;  ///< that can be run
};
RX_DAP_TYPE(LoadBody, stages, functions)
struct Load : RequestOf<"rxs/load", LaunchArguments, LoadBody> {};

struct ArgumentsBody {
  std::vector<ParameterCheck> parameters;  ///< in the order of the signature, then what no parameter takes
};
RX_DAP_TYPE(ArgumentsBody, parameters)
/// How the arguments of the last `launch` fit the parameters of its function, one row each, also where it was refused
/// for them; empty where it was refused before they were looked at.
struct ArgumentsRequest : RequestOf<"rxs/arguments", Nothing, ArgumentsBody> {};

struct StagesBody {
  std::vector<StageInfo> stages;
  int64_t selected = 0;
  int64_t passesRun = 0;  ///< by the engine for the program; none where a client sent the stages
};
RX_DAP_TYPE(StagesBody, stages, selected, passesRun)
struct Stages : RequestOf<"rxs/stages", Nothing, StagesBody> {};

struct StageArguments {
  int64_t stage = 0;
};
RX_DAP_TYPE(StageArguments, stage)
/// Chooses the stage by whose bindings the engine steps and names places.
struct SelectStage : RequestOf<"rxs/selectStage", StageArguments, Position> {};

struct SetBindingBreakpointsArguments {
  std::vector<BindingBreakpoint> breakpoints;
};
RX_DAP_TYPE(SetBindingBreakpointsArguments, breakpoints)
/// Replaces all breakpoints at bindings, and at the memory of their values.
struct SetBindingBreakpoints : RequestOf<"rxs/setBindingBreakpoints", SetBindingBreakpointsArguments, BreakpointsBody> {
};

struct WatchArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
  std::vector<std::string> expressions;
};
RX_DAP_TYPE(WatchArguments, frameId, expressions)
struct WatchBody {
  std::vector<WatchValue> values;
};
RX_DAP_TYPE(WatchBody, values)
/// Evaluates expressions at the state that is shown; what is wrong with one does not hinder the others.
struct Watch : RequestOf<"rxs/watch", WatchArguments, WatchBody> {};

/// At most so many points in one answer.
inline constexpr int64_t kMaxWatchPoints = 1000;
struct WatchHistoryArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
  std::string expression;
  int64_t points = 256;
};
RX_DAP_TYPE(WatchHistoryArguments, frameId, expression, points)
struct WatchHistoryBody {
  std::vector<WatchPoint> points;  ///< by step
  int64_t states = 0;              ///< recorded states of the frame
  bool sampled = false;            ///< not all of them were looked at
  std::string error;               ///< why no point has a number
};
RX_DAP_TYPE(WatchHistoryBody, points, states, sampled, error)
/// What an expression was at the recorded states of a frame. Bounded in points and in time: a long run is sampled.
struct WatchHistory : RequestOf<"rxs/watchHistory", WatchHistoryArguments, WatchHistoryBody> {};

struct PositionRequest : RequestOf<"rxs/position", Nothing, Position> {};

struct GoToArguments {
  int64_t step = 0;
};
RX_DAP_TYPE(GoToArguments, step)
/// Shows a recorded step without running. Ends with a `stopped` event, reason "goto".
struct GoTo : RequestOf<"rxs/goto", GoToArguments, Nothing> {};

struct ChangePastArguments {
  std::optional<int64_t> variablesReference;  ///< scope or value that has `name`, as setVariable takes it
  std::string name;                           ///< without a reference an expression, as setExpression takes it
  std::string value;
  std::optional<int64_t> frameId;
};
RX_DAP_TYPE(ChangePastArguments, variablesReference, name, value, frameId)
/// Gives a value of the state that is shown other content, where that is one of the past too: the program runs again as
/// far as there, with what was changed by hand before it, and goes on from the new value. Ends with a `stopped` event,
/// reason "goto", at that state, which is the last one then.
struct ChangePast : RequestOf<"rxs/changePast", ChangePastArguments, Nothing> {};

/// Runs to a binding (of `stage`), as a breakpoint that exists once.
struct RunTo : RequestOf<"rxs/runTo", BindingBreakpoint, Nothing> {};

struct ReverseStepArguments {
  std::string kind = "over";  ///< "over", "into", "out"
  std::optional<std::string> granularity;
};
RX_DAP_TYPE(ReverseStepArguments, kind, granularity)
/// The reverse steps that DAP has no request for; stepBack is kind "over".
struct ReverseStep : RequestOf<"rxs/reverseStep", ReverseStepArguments, Nothing> {};

/// Rows of a long list.
struct RangeArguments {
  int64_t start = 0;
  int64_t count = 0;  ///< 0 = all
};
RX_DAP_TYPE(RangeArguments, start, count)
struct ProgramBody {
  int64_t total = 0;
  std::vector<InstructionInfo> instructions;
};
RX_DAP_TYPE(ProgramBody, total, instructions)
/// The bytecode, whole or a part.
struct ProgramRequest : RequestOf<"rxs/program", RangeArguments, ProgramBody> {};

/// A binding of some stage that belongs to what was asked for.
struct OriginPlace {
  int64_t stage = 0;
  std::string function;
  int64_t binding = -1;
  std::string variable;
  std::string pass;  ///< that made it, empty for an imported one
  int64_t line = 0;
};
RX_DAP_TYPE(OriginPlace, stage, function, binding, variable, pass, line)
struct OriginArguments {
  std::optional<int64_t> instruction;  ///< else the binding
  int64_t stage = 0;
  std::string function;
  int64_t binding = -1;
  std::optional<std::string> variable;  ///< used where `binding` is -1
};
RX_DAP_TYPE(OriginArguments, instruction, stage, function, binding, variable)
struct OriginBody {
  std::vector<OriginPlace> places;    ///< every binding, of all stages, that shares a source binding; by stage
  std::vector<int64_t> instructions;  ///< that work for it
};
RX_DAP_TYPE(OriginBody, places, instructions)
/// Where an instruction or a binding came from, and what became of it: stage by stage, down to the bytecode.
struct OriginRequest : RequestOf<"rxs/origin", OriginArguments, OriginBody> {};

/// Steps of a range; the first of them may come later than was asked for, where those before were dropped.
struct TimelineBody {
  int64_t total = 0;
  std::vector<StepInfo> steps;
};
RX_DAP_TYPE(TimelineBody, total, steps)
struct Timeline : RequestOf<"rxs/timeline", RangeArguments, TimelineBody> {};

/// A part of the recorded steps along a line. Places on it are nanoseconds that steps took, each at least one, or steps
/// where all are to be alike; the oldest step that is kept begins at 0.
struct TimelineBarsArguments {
  double from = 0;
  std::optional<double> to;  ///< else to the end
  bool equal = false;
  int64_t bars = 0;              ///< shorter steps than this part of [from, to) stand together; 0: no bars
  std::optional<int64_t> state;  ///< whose place is asked for
};
RX_DAP_TYPE(TimelineBarsArguments, from, to, equal, bars, state)
/// Bits of a bar's mark.
inline constexpr int64_t kBarKernel = 1;          ///< a kernel ran
inline constexpr int64_t kBarMadeNonFinite = 2;   ///< one made a NaN or Inf out of finite inputs
inline constexpr int64_t kBarHoldsNonFinite = 4;  ///< one wrote a NaN or Inf, wherever that came from
/// Bar i is of the steps from steps[i] up to the first of the next, between places[i] and places[i + 1].
struct TimelineBarsBody {
  int64_t recorded = 0;
  int64_t oldest = 0;       ///< the step at place 0
  double length = 0;        ///< of the line, of steps that were looked at so far
  double microseconds = 0;  ///< that all steps ran
  double compileMicroseconds = 0;
  double place = 0;  ///< of `state`
  double from = 0;   ///< as asked, on the line
  double to = 0;
  bool more = false;  ///< there was no time to look at all that was recorded: asking again goes on
  int64_t last = -1;  ///< the last step of the last bar
  std::vector<int64_t> steps;
  std::vector<double> places;
  std::vector<double> times;          ///< microseconds that its steps ran
  std::vector<int64_t> instructions;  ///< of its longest step, of a kernel where one ran
  std::vector<int64_t> marks;
};
RX_DAP_TYPE(TimelineBarsBody, recorded, oldest, length, microseconds, compileMicroseconds, place, from, to, more, last,
            steps, places, times, instructions, marks)
struct TimelineBars : RequestOf<"rxs/timelineBars", TimelineBarsArguments, TimelineBarsBody> {};

struct InstructionTimesBody {
  int64_t total = 0;
  std::vector<double> microseconds;
  bool more = false;  ///< as in TimelineBarsBody
};
RX_DAP_TYPE(InstructionTimesBody, total, microseconds, more)
/// What the steps of each instruction of a range took together.
struct InstructionTimes : RequestOf<"rxs/instructionTimes", RangeArguments, InstructionTimesBody> {};

struct BindingStepArguments {
  std::string function;  ///< of the selected stage
  int64_t binding = -1;
};
RX_DAP_TYPE(BindingStepArguments, function, binding)
struct BindingStepBody {
  int64_t step = -1;  ///< -1 where none worked for it
};
RX_DAP_TYPE(BindingStepBody, step)
/// The step whose kernel worked for a binding: the last before the state that is shown, else the first behind it, else
/// the last that worked for it without one.
struct BindingStep : RequestOf<"rxs/bindingStep", BindingStepArguments, BindingStepBody> {};

struct NonFiniteBody {
  int64_t calls = 0;              ///< of kernels whose outputs hold NaN or Inf
  std::optional<StepInfo> first;  ///< that made some out of finite inputs, or that holds some; where it is kept
  bool more = false;              ///< as in TimelineBarsBody
};
RX_DAP_TYPE(NonFiniteBody, calls, first, more)
/// Where NaN and Inf began, of all that was recorded.
struct NonFinite : RequestOf<"rxs/nonFinite", Nothing, NonFiniteBody> {};

struct FrameArguments {
  int64_t frameId = 0;  ///< 0 = the innermost
};
RX_DAP_TYPE(FrameArguments, frameId)
struct RegistersArguments {
  int64_t frameId = 0;      ///< 0 = the innermost
  bool held = false;        ///< only registers that hold something or were changed by the last step
  int64_t activation = -1;  ///< of the answer that `since` goes on from
  int64_t since = -1;  ///< only registers that differ from those at this state or were changed by the last step, those
                       ///< that hold nothing too; -1 = all
  int64_t start = 0;   ///< number of the first register looked at
  int64_t count = 0;   ///< the first so many rows; 0 = all
};
RX_DAP_TYPE(RegistersArguments, frameId, held, activation, since, start, count)
struct RegistersBody {
  int64_t activation = -1;
  int64_t since = -1;  ///< as asked; -1 where all is given, since another call of a function is shown
  int64_t next = -1;   ///< where `count` left some out: the `start` to ask on with
  std::vector<RegisterInfo> registers;
};
RX_DAP_TYPE(RegistersBody, activation, since, next, registers)
struct Registers : RequestOf<"rxs/registers", RegistersArguments, RegistersBody> {};

struct ShapeHeapBody {
  std::vector<HeapSlotInfo> slots;
};
RX_DAP_TYPE(ShapeHeapBody, slots)
struct ShapeHeap : RequestOf<"rxs/shapeHeap", FrameArguments, ShapeHeapBody> {};

/// Everything that the text and the graph show beside a function of the selected stage.
struct ValuesArguments {
  int64_t frameId = 0;      ///< 0 = the innermost
  int64_t activation = -1;  ///< of the answer that `since` goes on from
  int64_t since = -1;       ///< all that bindings got after this state; -1 = only the last value of each binding
  int64_t count = 0;        ///< with `since`: the first so many; 0 = all
};
RX_DAP_TYPE(ValuesArguments, frameId, activation, since, count)
struct ValuesBody {
  std::string function;
  int64_t activation = -1;
  int64_t since = -1;    ///< as asked; 0 where the answer begins anew, since another call of a function is shown
  bool complete = true;  ///< false where `count` left some out: ask again, since the state of the last one
  std::vector<BindingValue> params;  ///< `binding` is the position
  std::vector<BindingValue> bindings;
  std::vector<SymbolValue> symbols;
};
RX_DAP_TYPE(ValuesBody, function, activation, since, complete, params, bindings, symbols)
struct Values : RequestOf<"rxs/values", ValuesArguments, ValuesBody> {};

/// A value: a number that an answer gave for it, or an expression instead.
struct ValueArguments {
  int64_t reference = 0;
  std::optional<std::string> expression;
};
/// The elements of a tensor; with `against` their distances to those of another one.
struct ElementsArguments : ValueArguments {
  std::optional<Against> against;
};

/// A rectangle of a tensor. Empty `begin` and `extent` mean from the start and to the end; both are clipped, and the
/// product of the extents is at most kMaxSliceElements.
inline constexpr int64_t kMaxSliceElements = 10000;
struct SliceArguments : ElementsArguments {
  std::vector<int64_t> begin;
  std::vector<int64_t> extent;
};
RX_DAP_TYPE(SliceArguments, reference, expression, against, begin, extent)
struct SliceBody {
  ValueInfo value;
  std::vector<int64_t> begin;
  std::vector<int64_t> extent;
  std::vector<Json> values;  ///< row-major, see jsonNumber
  std::string bytes;         ///< the elements as they lie in memory, base64; empty with `against`
};
RX_DAP_TYPE(SliceBody, value, begin, extent, values, bytes)
struct Slice : RequestOf<"rxs/slice", SliceArguments, SliceBody> {};

struct SaveValueArguments : ValueArguments {
  std::string path;
};
RX_DAP_TYPE(SaveValueArguments, reference, expression, path)
/// Writes a whole tensor as .npy.
struct SaveValue : RequestOf<"rxs/saveValue", SaveValueArguments, Nothing> {};

/// A look at a whole tensor (core/tensor/survey.h): its histogram and quantiles, its largest element.
struct StatisticsArguments : ElementsArguments {
  int64_t bins = 40;
  std::vector<double> fractions;  ///< of the quantiles: 0.5 is the median
};
RX_DAP_TYPE(StatisticsArguments, reference, expression, against, bins, fractions)
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
RX_DAP_TYPE(StatisticsBody, count, looked, nan, positiveInf, negativeInf, zeros, largest, low, high, bins, quantiles)
struct Statistics : RequestOf<"rxs/statistics", StatisticsArguments, StatisticsBody> {};

/// Two axes of a tensor as a picture (core/tensor/plane.h).
struct PlaneArguments : ElementsArguments {
  int64_t rowAxis = -1;
  int64_t columnAxis = -1;
  std::vector<int64_t> at;
  int64_t rows = 256;  ///< of the picture, at most
  int64_t columns = 256;
};
RX_DAP_TYPE(PlaneArguments, reference, expression, against, rowAxis, columnAxis, at, rows, columns)
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
RX_DAP_TYPE(PlaneBody, rows, columns, fullRows, fullColumns, low, high, bad, sampled)
struct PlaneRequest : RequestOf<"rxs/plane", PlaneArguments, PlaneBody> {};

/// The next element that is not finite, or that lies from `low` to `high`; around the end. One answer looks at a
/// bounded number of elements: where it found none and `looked` is less than `count`, the next request goes on with
/// that `looked` (core/tensor/survey.h).
struct FindElementArguments : ElementsArguments {
  int64_t from = -1;  ///< row-major index to start behind
  bool forward = true;
  std::optional<double> low;  ///< both or none
  std::optional<double> high;
  int64_t looked = 0;  ///< elements that earlier parts of the search looked at
};
RX_DAP_TYPE(FindElementArguments, reference, expression, against, from, forward, low, high, looked)
struct FindElementBody {
  int64_t index = -1;  ///< row-major; -1 when there was none so far
  int64_t looked = 0;
  int64_t count = 0;  ///< elements of the tensor
};
RX_DAP_TYPE(FindElementBody, index, looked, count)
struct FindElement : RequestOf<"rxs/findElement", FindElementArguments, FindElementBody> {};

/// How far two tensors are apart (core/tensor/comparison.h).
struct CompareArguments : ValueArguments {
  Against against;
};
RX_DAP_TYPE(CompareArguments, reference, expression, against)
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
RX_DAP_TYPE(CompareBody, count, looked, different, nonFinite, firstNonFinite, worst, worstIndex, otherDtype)
struct CompareRequest : RequestOf<"rxs/compare", CompareArguments, CompareBody> {};

struct ArrayInfo {
  std::string name;  ///< empty for that of an .npy
  std::string dtype;
  std::vector<int64_t> shape;
};
RX_DAP_TYPE(ArrayInfo, name, dtype, shape)
struct ArraysBody {
  std::vector<ArrayInfo> arrays;
};
RX_DAP_TYPE(ArraysBody, arrays)
/// The arrays of an .npy or .npz file, to choose one to compare with.
struct Arrays : RequestOf<"rxs/arrays", PathArguments, ArraysBody> {};

struct MemoryArguments {
  bool storages = true;  ///< each piece of memory and the registers that hold it, too
  int64_t points = 0;    ///< of the run to look at, at most
};
RX_DAP_TYPE(MemoryArguments, storages, points)
/// What was alive when a number of steps had run.
struct MemoryPoint {
  int64_t step = 0;
  int64_t liveBytes = 0;
};
RX_DAP_TYPE(MemoryPoint, step, liveBytes)
struct MemoryBody {
  int64_t liveBytes = 0;
  int64_t peakBytes = 0;
  std::vector<StorageInfo> storages;
  std::vector<MemoryPoint> points;  ///< by step
  int64_t states = 0;               ///< of the run, of which the points are some; 0 where none were asked for
  bool more = false;                ///< there was no time for all points that were asked for: asking again finds others
};
RX_DAP_TYPE(MemoryBody, liveBytes, peakBytes, storages, points, states, more)
struct Memory : RequestOf<"rxs/memory", MemoryArguments, MemoryBody> {};

/// The result of a run that finished; `items` are those of a tuple.
struct ResultBody {
  ValueInfo value;
  std::vector<ValueInfo> items;
  double microseconds = 0;  ///< that its steps ran
  std::string lost;         ///< why the value is not there: the recording ended before the run
};
RX_DAP_TYPE(ResultBody, value, items, microseconds, lost)
struct ResultRequest : RequestOf<"rxs/result", Nothing, ResultBody> {};

struct TraceBody {
  std::string path;
  int64_t steps = 0;
};
RX_DAP_TYPE(TraceBody, path, steps)
/// Where the trace of this run is appended to, and how far it is. A trace file is named at `launch`.
struct Trace : RequestOf<"rxs/trace", Nothing, TraceBody> {};

/// Opens a trace that an earlier engine wrote: its steps can be visited as those of a run that ended.
struct OpenTrace : RequestOf<"rxs/openTrace", PathArguments, Position> {};

struct StepThreadsArguments {
  int64_t threadId = 0;
  std::string of = "thread";  ///< or "warp", "group"
};
RX_DAP_TYPE(StepThreadsArguments, threadId, of)
/// One statement of a thread of a kernel that was stepped into, of all threads of its warp, or of its group.
struct StepThreads : RequestOf<"rxs/stepThreads", StepThreadsArguments, Nothing> {};

}  // namespace rx::dap
