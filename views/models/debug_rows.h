// What the debugger knows, as plain rows. Filled from the engine's answers, read by models and panels.
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>
#include <array>
#include <cmath>
#include <vector>

#include "views/theme/palette.h"

namespace rx::views {

enum class RunState : uint8_t { Off, Starting, Running, Stopped, Ended, Died };

/// Why and where the machine stands still.
struct StopInfo {
  QString reason;       // DAP's word: "breakpoint", "step", "exception", "entry", "pause"
  QString description;  // in words: "Inf produced", "n = 5 does not match n = 3"
  QString function;     // of the selected stage
  int binding = -1;     // ordinal in that function, -1 when between bindings
  QString variable;
  QString called = {};   // see BindingRow::called
  int line = 0;          // in the stage's text
  int step = -1;         // recorded step that is shown
  int instruction = -1;  // index in the program
  bool past = false;     // a recorded step is looked at: nothing runs there
  // The binding that runs next, also where an exception made another one the place of the stop.
  QString nextFunction = {};
  int nextBinding = -1;
  int nextLine = 0;
  // The binding that got its value last, in the frame of the stop; -1 at the entry.
  QString madeFunction = {};
  int madeBinding = -1;
  QString madeVariable = {};
};

/// Where a run is while it runs.
struct RunProgress {
  qint64 steps = 0;
  QString what;  // kernel or builtin under way: "matmul2"
  QString function;
  QString variable;  // binding that it works for
  int line = 0;
  double milliseconds = 0;  // since it was started or went on
  double silence = 0;       // since the engine was last heard, in milliseconds
};

struct FrameRow {
  int id = 0;
  QString function;
  QString variable;
  QString called;  // see BindingRow::called
  int binding = -1;
  int line = 0;
  int instruction = -1;
};

struct InstructionRow {
  int index = 0;                 // in the whole program
  QString function;              // VM function that it belongs to
  QString text;                  // "call alloc_tensor %9, i0, %7 → %10"
  QString full;                  // as the machine writes it, with the whole name of a builtin
  QString what;                  // what it calls, else what kind it is: "alloc_tensor", "return"
  QString writes;                // the register that it sets: "%10"; empty when it sets none
  QString variable;              // binding it came from
  QString called;                // see BindingRow::called
  QString bindingFunction;       // function of the stage that the binding is of
  int binding = -1;              // its ordinal there
  int line = 0;                  // that binding's line in the stage's text
  bool builtin = false;          // the runtime's work: no kernel of the program
  OpKind kind = OpKind::Memory;  // of the binding, Memory for a builtin
  bool current = false;
  bool breakpoint = false;
  int offset = 0;  // among the instructions of its VM function
  bool operator==(const InstructionRow&) const = default;
};

/// Summary of a value. Numbers of an empty tensor or another kind of value are not valid; see `isTensor` and `count`.
struct ValueSummary {
  bool known = false;
  bool isTensor = false;
  bool unwritten = false;  // a tensor that only has its memory so far
  int reference = 0;       // of the engine, for slices; 0 when there is no more to ask
  QString variable;
  QString text;   // the value in one line: "(17, 512) float16", "(shape 1, 2)", "3"
  QString shape;  // the numbers: "(17, 512)"
  QString dtype;
  QString place;  // the device that a tensor lies on: "opencl:0"; empty for the host
  qint64 bytes = 0;
  qint64 count = 0;  // elements
  double min = 0;    // of the finite ones
  double max = 0;
  double mean = 0;
  qint64 finite = 0;
  qint64 nan = 0;
  qint64 inf = 0;
  std::vector<qint64> firstBad;          // index of the first NaN or Inf, empty if none
  int step = -1;                         // the step that wrote it
  std::vector<ValueSummary> items = {};  // the first fields of a tuple
  bool bad() const { return nan > 0 || inf > 0; }
};

/// What one asks of the values of many bindings at once.
enum class ValueState : uint8_t { None, Finite, Bad };

struct RegisterRow {
  QString name;     // "%11"
  QString binding;  // variable that it holds
  ValueSummary value;
  bool changed = false;  // by the last step
};

struct HeapRow {
  int slot = 0;
  bool set = false;
  qint64 value = 0;
  QString expression;  // "n", "n * 4"
  QString origin;      // who stored it: "x axis 0"
  bool changed = false;
};

/// When a breakpoint that is reached stops, and what it does instead.
struct BreakpointRule {
  QString condition;     // empty: always
  QString hitCondition;  // "5", ">= 3", "% 2"; empty: at every hit
  QString logMessage;    // not empty: written to the log instead of stopping
  bool operator==(const BreakpointRule&) const = default;
  bool plain() const { return condition.isEmpty() && hitCondition.isEmpty() && logMessage.isEmpty(); }
};

enum class BreakpointKind : uint8_t {
  Binding,      // before the binding, or after it where its condition is about its value
  Data,         // after what writes the memory of its value
  Instruction,  // before an instruction of the program, whatever stage is shown
};

struct BreakpointRow : BreakpointRule {
  int id = 0;
  BreakpointKind kind = BreakpointKind::Binding;
  bool enabled = true;
  bool verified = false;  // the engine knows it
  int stage = 0;
  QString function;
  int binding = -1;
  QString variable;
  int reg = -1;  // of a Data breakpoint at a register of the VM function `function`, which has no binding then
  // Of an Instruction breakpoint, which has no binding either: its place among those of the VM function `function`.
  int instruction = -1;
  int hits = 0;
  QString message;      // why it is not verified
  QString error;        // why its condition could not be evaluated
  int errorBegin = -1;  // characters of the condition that the error is about
  int errorEnd = -1;
  int engineId = 0;  // its number in the engine that runs
};

/// An expression that is looked at, and what it is at the step that is shown.
struct WatchRow {
  int id = 0;
  QString expression;
  bool known = false;  // the engine said what it is
  bool isNumber = false;
  double number = 0;
  QString text;        // "18", "(4, 6, 6) f16", what is wrong
  QString compared;    // the left side of the outermost comparison: "18" of `nan(x) > 0`
  bool truth = false;  // of what is a truth value or a number
  ValueSummary value;  // of what is no number or text
  QString error;
  int errorBegin = -1;  // characters of the expression that the error is about
  int errorEnd = -1;
  bool changed = false;  // since the last stop
  bool bad() const { return value.bad() || (isNumber && !std::isfinite(number)); }
};

/// What an expression was over the recorded steps of the frame that is shown: a plot of it.
struct WatchPlot {
  struct Point {
    int step = 0;
    bool known = false;  // it has a number there
    double value = 0;
  };
  std::vector<Point> points;  // by step
  qint64 states = 0;          // recorded states of the frame
  bool sampled = false;       // not all of them were looked at
  QString error;              // why there is nothing to plot
};

/// A piece of memory that is alive at the step that is shown.
struct StorageRow {
  qint64 bytes = 0;
  int step = -1;  // that made it; -1 where it was there before the first
  QString what;   // the call that made it
  QString function;
  QString variable;  // the binding that it was made for; empty for none
  QString called;    // see BindingRow::called
  int binding = -1;
  QString holders;  // registers that hold it
};

/// What of a MemoryMap is asked for: the curve costs little where it is known.
enum class MemoryPart : uint8_t { All, Curve };

/// The memory of a run at the step that is shown, and over the run.
struct MemoryMap {
  qint64 live = 0;
  qint64 peak = 0;
  std::vector<StorageRow> storages;  // the largest first
  WatchPlot curve;                   // bytes alive, by step
  bool more = false;                 // asking again finds more of the curve
  QString error;                     // why nothing is known
};

/// One recorded step: a VM instruction that ran.
struct TraceRow {
  int step = 0;
  QString what;  // kernel or builtin: "matmul2"
  QString function;
  QString variable;  // binding it belongs to
  QString called;    // see BindingRow::called
  int binding = -1;
  int instruction = -1;
  double microseconds = 0;  // that it ran
  double compiled = 0;      // microseconds before that, for the machine code of its kernel; 0 where that was there
  bool builtin = false;
  bool bad = false;             // it produced NaN or Inf
  bool holdsBad = false;        // what it wrote has NaN or Inf, wherever that came from
  OpKind kind = OpKind::Other;  // of the binding, where it is no builtin
};

struct LogLine {
  enum class Kind : uint8_t { Note, Output, Error };
  Kind kind = Kind::Note;
  QString text;
  QDateTime time = {};  // given by the log
};

/// What to run. Inputs come from a file, or are generated from the seed.
/// What a run may take; 0 leaves a limit to the engine.
struct RunBudgets {
  qint64 instructions = 0;
  qint64 memory = 0;  // bytes of values alive at a time
  qint64 record = 0;  // bytes on disk of what is kept for stepping back
};

struct RunConfig {
  QString function;
  int stage = 0;             // stage whose bindings stepping goes by
  QString paramsFile;        // .npz; empty: parameters are inputs too
  QString inputsFile;        // .npz, or one .npy named after its parameter; empty: generated
  QStringList files;         // further .npz, .npy and .safetensors files with arrays by parameter name
  QStringList choices;       // "x=lv3": the array that a parameter takes, or "x=@zero", "x=@seed"
  QStringList plugins;       // libraries of the user's own packed functions
  QString engine;            // HOST:PORT of one that listens elsewhere; empty: a process of its own
  QString token;             // that it wants to hear
  bool ignoreExtra = false;  // arrays that no parameter takes are no error
  unsigned seed = 0;
  bool seeded = false;       // a seed was named: with files too, it makes what they do not give
  QStringList symbolValues;  // "n=17" for generated inputs
  QString target;            // what to compile for: "llvm", JSON of a target; empty: this machine
  QString mode;              // how: "step" or "release"; empty: "step"
  QString keep;              // of the values, in the recording: "bindings", "last:1000"; empty: "everything"
  bool stopOnEntry = true;
  bool stopOnNonFinite = false;
  RunBudgets budgets = {};
  /// What no file gives is made from the seed.
  bool generates() const { return inputsFile.isEmpty() && (files.isEmpty() || seeded); }
  /// Whether times are those of the code that ships.
  bool optimises() const { return mode == QLatin1String("release"); }
};

/// How far two numbers are apart: their difference, that relative to the larger magnitude, or in units of the last
/// place of the left one's type.
enum class Distance : uint8_t { Absolute, Relative, Ulp };

/// The numbers that are looked at: those of a value, or its distances to another value or an array of a file.
struct ElementSource {
  ElementSource(int value = 0) : reference(value) {}  // a value by itself  NOLINT(google-explicit-constructor)
  int reference = 0;
  int against = 0;  // another value
  QString file;     // or an .npy or .npz
  QString array;    // name in the .npz
  Distance distance = Distance::Absolute;
  bool compares() const { return against != 0 || !file.isEmpty(); }
  bool operator==(const ElementSource&) const = default;
};

/// The fractions of a survey's quantiles; 0.5 is the median.
inline constexpr std::array kQuantiles = {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};

/// What a look at a whole tensor tells. Counts are of the elements that were looked at.
struct TensorSurvey {
  QString error;
  qint64 count = 0;
  qint64 looked = 0;  // less than `count` where only a sample was looked at
  qint64 nan = 0;
  qint64 positiveInf = 0;
  qint64 negativeInf = 0;
  qint64 zeros = 0;
  std::vector<qint64> largest;  // index of the finite element of the largest magnitude; empty without one
  double low = 0;               // ends of the histogram
  double high = 0;
  std::vector<qint64> bins;
  std::vector<double> quantiles;
  bool sampled() const { return looked < count; }
};

/// Two axes of a tensor as a picture; -1 is an axis that is absent.
struct PlaneQuery {
  int rowAxis = -1;
  int columnAxis = -1;
  std::vector<qint64> at;  // an index for every axis
  int rows = 256;          // of the picture, at most
  int columns = 256;
  bool operator==(const PlaneQuery&) const = default;
};

struct TensorPlane {
  QString error;
  int rows = 0;
  int columns = 0;
  qint64 fullRows = 0;
  qint64 fullColumns = 0;
  std::vector<float> low;  // smallest and largest finite element of a cell, NaN where it has none
  std::vector<float> high;
  QByteArray bad;  // 1 NaN, 2 Inf, 3 both
  bool sampled = false;
};

/// An element to look for: the next that is not finite, or the next from `low` to `high`.
struct ElementQuery {
  std::vector<qint64> from;  // empty: from the start
  bool forward = true;
  bool nonFinite = true;
  double low = 0;
  double high = 0;
  qint64 looked = 0;  // elements that earlier parts of the search looked at
};

/// What one part of a search tells: a large tensor is searched in parts.
struct ElementFound {
  QString error;
  std::vector<qint64> index;  // empty where there was none so far
  bool found = false;
  qint64 looked = 0;  // elements that were looked at, those of earlier parts too
  qint64 count = 0;
  bool goesOn() const { return error.isEmpty() && !found && looked < count; }
};

/// How far two tensors are apart.
struct TensorComparison {
  struct Worst {
    double distance = 0;
    std::vector<qint64> index;  // empty where the distance is 0
  };
  QString error;
  qint64 count = 0;
  qint64 looked = 0;
  qint64 different = 0;
  qint64 nonFinite = 0;  // of those, pairs with a side that is not finite
  std::vector<qint64> firstNonFinite;
  Worst worst[3];  // by Distance
  QString otherDtype;
};

/// An array of an .npy or .npz.
struct ArrayRow {
  QString name;
  QString dtype;
  std::vector<qint64> shape;
};

/// A rectangle of a tensor, row-major.
struct TensorSlice {
  QString error;  // empty when it worked
  std::vector<qint64> shape;
  std::vector<qint64> begin;
  std::vector<qint64> extent;  // product = values.size()
  std::vector<double> values;
  QByteArray bytes;  // the elements as they lie in memory, little-endian; empty for distances
  QString dtype;
};

}  // namespace rx::views
