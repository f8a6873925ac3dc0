// What the debugger knows, as plain rows. Filled from the engine's answers, read by models and panels.
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>
#include <array>
#include <vector>

namespace rx::views {

enum class RunState : uint8_t { Off, Starting, Running, Stopped, Ended, Died };

/// Why and where the machine stands still.
struct StopInfo {
  QString reason;       // DAP's word: "breakpoint", "step", "exception", "entry", "pause"
  QString description;  // in words: "Inf produced", "n = 5 does not match n = 3"
  QString function;     // of the selected stage
  int binding = -1;     // ordinal in that function, -1 when between bindings
  QString variable;
  int line = 0;          // in the stage's text
  int step = -1;         // recorded step that is shown
  int instruction = -1;  // index in the program
  bool past = false;     // a recorded step is looked at: nothing runs there
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
  int binding = -1;
  int line = 0;
  int instruction = -1;
};

struct InstructionRow {
  int index = 0;     // in the whole program
  QString function;  // VM function that it belongs to
  QString text;      // "call alloc_tensor %9, i0, %7 → %10"
  QString full;      // as the machine writes it, with the whole name of a builtin
  QString writes;    // the register that it sets: "%10"; empty when it sets none
  QString variable;  // binding it came from
  int line = 0;      // that binding's line in the stage's text
  bool current = false;
  bool breakpoint = false;
  bool operator==(const InstructionRow&) const = default;
};

/// Summary of a value. Numbers of an empty tensor or another kind of value are not valid; see `isTensor` and `count`.
struct ValueSummary {
  bool known = false;
  bool isTensor = false;
  int reference = 0;  // of the engine, for slices; 0 when there is no more to ask
  QString variable;
  QString text;   // the value in one line: "(17, 512) float16", "(shape 1, 2)", "3"
  QString shape;  // the numbers: "(17, 512)"
  QString dtype;
  qint64 bytes = 0;
  qint64 count = 0;  // elements
  double min = 0;    // of the finite ones
  double max = 0;
  double mean = 0;
  qint64 finite = 0;
  qint64 nan = 0;
  qint64 inf = 0;
  std::vector<qint64> firstBad;  // index of the first NaN or Inf, empty if none
  int step = -1;                 // the step that wrote it
  bool bad() const { return nan > 0 || inf > 0; }
};

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

struct BreakpointRow {
  int id = 0;
  bool enabled = true;
  bool verified = false;  // the engine knows it
  int stage = 0;
  QString function;
  int binding = -1;
  QString variable;
  QString condition;
  int hits = 0;
  QString message;   // why it is not verified
  int engineId = 0;  // its number in the engine that runs
};

/// One recorded step: a VM instruction that ran.
struct TraceRow {
  int step = 0;
  QString what;  // kernel or builtin: "matmul2"
  QString function;
  QString variable;  // binding it belongs to
  int binding = -1;
  int instruction = -1;
  double microseconds = 0;
  bool builtin = false;
  bool bad = false;  // it produced NaN or Inf
};

struct LogLine {
  enum class Kind : uint8_t { Note, Output, Error };
  Kind kind = Kind::Note;
  QString text;
  QDateTime time = {};  // given by the log
};

/// What to run. Inputs come from a file, or are generated from the seed.
struct RunConfig {
  QString function;
  int stage = 0;       // stage whose bindings stepping goes by
  QString paramsFile;  // .npz; empty: parameters are inputs too
  QString inputsFile;  // .npz, or one .npy named after its parameter; empty: generated
  QStringList files;     // further .npz, .npy and .safetensors files with arrays by parameter name
  QStringList choices;   // "x=lv3": the array that a parameter takes, or "x=@zero", "x=@seed"
  bool ignoreExtra = false;  // arrays that no parameter takes are no error
  unsigned seed = 0;
  bool seeded = false;  // a seed was named: with files too, it makes what they do not give
  QStringList symbolValues;  // "n=17" for generated inputs
  QString target = QStringLiteral("cpu");
  bool stopOnEntry = true;
  bool stopOnNonFinite = false;
  /// What no file gives is made from the seed.
  bool generates() const { return inputsFile.isEmpty() && (files.isEmpty() || seeded); }
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
