// What the debugger knows, as plain rows. Filled from the engine's answers, read by models and panels.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
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
};

/// What to run. Inputs come from a file, or are generated from the seed.
struct RunConfig {
  QString function;
  int stage = 0;       // stage whose bindings stepping goes by
  QString paramsFile;  // .npz; empty: parameters are inputs too
  QString inputsFile;  // .npz, or one .npy named after its parameter; empty: generated
  unsigned seed = 0;
  QStringList symbolValues;  // "n=17" for generated inputs
  QString target = QStringLiteral("cpu");
  bool stopOnEntry = true;
  bool stopOnNonFinite = false;
};

/// A rectangle of a tensor, row-major text and numbers of the elements.
struct TensorSlice {
  QString error;  // empty when it worked
  std::vector<qint64> shape;
  std::vector<qint64> begin;
  std::vector<qint64> extent;  // product = values.size()
  std::vector<double> values;
  QString dtype;
};

}  // namespace rx::views
