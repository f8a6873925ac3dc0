// The debugger as the window sees it: owns the engine process, speaks DAP with it, never waits for it, and outlives it.
#pragma once

#include <QObject>
#include <functional>
#include <unordered_map>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/models/run_outcome.h"
#include "views/models/timeline_rows.h"
#include "views/models/traced_values.h"

namespace rx::views {

class KernelStepper;

/// By binding.
using BindingTimes = std::unordered_map<int, double>;

/// An interface, so that panels are tested with a session that is made up; LiveDebugSession is the real one.
class DebugSession : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  virtual RunState state() const = 0;
  /// True while a trace can be looked at: stopped, ended or died after at least one step.
  virtual bool hasTrace() const = 0;
  /// True when everything asked of the engine has been answered.
  virtual bool idle() const = 0;
  virtual const StopInfo& stop() const = 0;
  virtual const RunConfig& config() const = 0;
  /// Process id of the engine, 0 when it does not run.
  virtual qint64 engineId() const = 0;
  /// What the engine said when it died: signal, instruction, binding; empty otherwise. It stays while the recorded
  /// trace is looked at.
  virtual QString deathReport() const = 0;
  /// Where the run is, while it runs.
  virtual RunProgress progress() const { return {}; }
  /// Why the last run could not start or did not come to its end; null when it did or none was asked for.
  virtual const RunFailure* failure() const { return nullptr; }
  /// What the last run returned; null before its end.
  virtual const RunResult* result() const { return nullptr; }
  /// What steps threads of a device's kernel; null where the session does not.
  virtual KernelStepper* kernelStepper() { return nullptr; }
  /// True when what is shown is read from the trace of an engine that died.
  virtual bool replays() const { return false; }
  /// The `rxs` command that does this run; empty before the first.
  virtual QString commandLine() const = 0;
  /// Storage in use against the peak: "71 kB of 88 kB peak"; empty when unknown.
  virtual QString memoryText() const = 0;

  virtual const std::vector<FrameRow>& frames() const = 0;
  virtual const std::vector<InstructionRow>& instructions() const = 0;
  virtual const std::vector<RegisterRow>& registers() const = 0;
  virtual const std::vector<HeapRow>& heap() const = 0;
  /// Steps of the run that are recorded; their rows are asked for, by range.
  virtual int recorded() const = 0;
  virtual const std::vector<BreakpointRow>& breakpoints() const = 0;
  virtual const std::vector<LogLine>& log() const = 0;
  /// Adds what the window said to what the engine said.
  virtual void addLog(const rx::views::LogLine& line) = 0;
  virtual const std::vector<WatchRow>& watches() const = 0;

  /// Value of a binding of the run's stage at the step that is shown; `known` is false when it was not computed yet.
  virtual ValueSummary valueOf(const QString& function, int binding) const = 0;
  /// The same in short, for those who ask about every binding.
  virtual ValueState valueState(const QString& function, int binding) const {
    const ValueSummary value = valueOf(function, binding);
    return !value.known ? ValueState::None : value.bad() ? ValueState::Bad : ValueState::Finite;
  }
  /// Value that a binding had after a recorded step of the frame that is shown; not `known` where that is not kept.
  virtual ValueSummary valueAt(const QString& function, int binding, int step) const = 0;
  /// Value of a function parameter at the step that is shown.
  virtual ValueSummary valueOfParam(const QString& function, const QString& name) const = 0;
  /// Values of symbolic variables in the frame that is shown: "n" -> 17.
  virtual std::vector<std::pair<QString, qint64>> symbols(const QString& function) const = 0;
  virtual const BreakpointRow* breakpointAt(int stage, const QString& function, int binding) const = 0;

  /// The values of a folder that `rxs run --trace` wrote, and which of them is looked at.
  virtual const TracedValues& traced() const {
    static const TracedValues kNone;
    return kNone;
  }

  /// Asks for a part of a tensor; the answer arrives on this thread, or never when `context` is gone. Extents are
  /// clipped to the tensor and to 10,000 elements.
  virtual void fetchSlice(const ElementSource& source, std::vector<qint64> begin, std::vector<qint64> extent,
                          QObject* context, std::function<void(const TensorSlice&)> answer) = 0;
  /// The same for what needs the whole tensor. The engine computes it at a bounded cost, of large ones from a sample.
  virtual void fetchSurvey(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                           std::function<void(const TensorSurvey&)> answer) = 0;
  virtual void fetchPlane(const ElementSource& source, const PlaneQuery& query, QObject* context,
                          std::function<void(const TensorPlane&)> answer) = 0;
  /// Looks for an element in a bounded part of a tensor; where that has none, `looked` of the answer in the query asks
  /// for the next part.
  virtual void findElement(const ElementSource& source, const ElementQuery& query, std::vector<qint64> shape,
                           QObject* context, std::function<void(const ElementFound&)> answer) = 0;
  /// How far the two sides of a source that compares are apart.
  virtual void fetchComparison(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                               std::function<void(const TensorComparison&)> answer) = 0;
  /// The arrays of an .npy or .npz; an error in words where it can not be read.
  virtual void fetchArrays(const QString& path, QObject* context,
                           std::function<void(const QString& error, const std::vector<ArrayRow>&)> answer) = 0;
  /// Writes a whole value as `.npy`; the answer is an error in words or empty.
  virtual void saveValue(int reference, const QString& path, QObject* context,
                         std::function<void(const QString&)> answer) = 0;
  /// What the run is of, where that is not what there is now (its text, pipeline, target and files of arguments):
  /// "another pipeline", "module.py before it changed"; empty where it is. What is past is grey everywhere, and says
  /// what it is of; `stopChanged` follows a change.
  virtual QString pastOf() const { return {}; }
  /// Whether a stage of the document is one of the run: values at places of others can not be asked for.
  virtual bool knowsStage(int /*stage*/) const { return true; }

  /// Whether a value of the run can be changed: a program stands here, or stood here before and can run again.
  virtual bool canSetValues() const { return false; }
  /// Gives a value other content from the step on that is shown: all of it, or the element at an index ("[0, 3]"). At a
  /// step of the past the program runs again as far as there. The answer is why not, in words, or empty.
  virtual void setValue(const ValueSummary& /*value*/, const QString& /*part*/, const QString& /*text*/,
                        QObject* /*context*/, std::function<void(const QString&)> answer) {
    answer(tr("No program runs here."));
  }
  /// What an expression is at the step that is shown; only its form is looked at while there is no such step.
  virtual void evaluate(const QString& expression, QObject* context, std::function<void(const WatchRow&)> answer) = 0;
  /// What an expression was over the recorded steps.
  virtual void fetchPlot(const QString& expression, QObject* context, std::function<void(const WatchPlot&)> answer) = 0;
  /// The memory at the step that is shown, and over the recorded steps.
  virtual void fetchMemory(MemoryPart /*part*/, QObject* /*context*/, std::function<void(const MemoryMap&)> answer) {
    answer({});
  }
  /// Recorded steps of a range, of those that are kept; fewer where a look at them takes long.
  virtual void fetchSteps(int /*first*/, int /*count*/, QObject* /*context*/,
                          std::function<void(const std::vector<TraceRow>&)> answer) {
    answer({});
  }
  /// The recorded steps along a line.
  virtual void fetchTimeline(const TimelineQuery& /*query*/, QObject* /*context*/,
                             std::function<void(const TimelinePart&)> answer) {
    answer({});
  }
  /// Microseconds that the bindings of a function took over the run.
  virtual void fetchTimes(const QString& /*function*/, QObject* /*context*/,
                          std::function<void(const BindingTimes&)> answer) {
    answer({});
  }
  /// The step that gave a binding its value: the last one before the state that is shown, else the first behind it; -1
  /// where none worked for it.
  virtual void fetchStepOf(const QString& /*function*/, int /*binding*/, QObject* /*context*/,
                           std::function<void(int)> answer) {
    answer(-1);
  }
  /// Adds a breakpoint as a row describes it; its number.
  virtual int addBreakpoint(const BreakpointRow& row) = 0;
  /// Adds an expression to look at; its number.
  virtual int addWatch(const QString& expression) = 0;

 public Q_SLOTS:
  virtual void start(const rx::views::RunConfig& config) = 0;
  /// A run that is refused before an engine is asked: its failure says why.
  virtual void refuse(const rx::views::RunConfig& /*config*/, const QString& /*rule*/, const QString& /*message*/) {}
  /// Shows a recorded run of the open module from a file, as its end; a refusal is a failure.
  virtual void openRecording(const QString& /*path*/) {}
  /// Opens such a folder: `tracedChanged` follows, or `tracedRefused`, and what was open stays. An empty path forgets
  /// it.
  virtual void openTraced(const QString& /*folder*/) {}
  /// Looks at a row of it; -1 is none.
  virtual void showTraced(int /*row*/) {}
  /// The file with the run that is shown; empty where nothing was recorded.
  virtual QString recordingFile() const { return {}; }
  virtual void restart() = 0;
  virtual void stopEngine() = 0;
  virtual void continueRun() = 0;
  virtual void pause() = 0;
  virtual void stepOver() = 0;
  virtual void stepInto() = 0;
  virtual void stepOut() = 0;
  virtual void stepBack() = 0;
  virtual void reverseContinue() = 0;
  virtual void stepInstruction() = 0;
  virtual void stepInstructionBack() = 0;
  /// Shows a recorded step without running.
  virtual void goToStep(int step) = 0;
  /// Steps and names places by the bindings of another stage from now on.
  virtual void selectStage(int stage) = 0;
  virtual void runTo(const QString& function, int binding) = 0;
  /// Adds or removes the breakpoint at a binding of a stage.
  virtual void toggleBreakpoint(int stage, const QString& function, int binding, const QString& variable) = 0;
  virtual void setBreakpointEnabled(int id, bool enabled) = 0;
  virtual void setBreakpointRule(int id, const rx::views::BreakpointRule& rule) = 0;
  virtual void removeBreakpoint(int id) = 0;
  virtual void clearBreakpoints() = 0;
  virtual void setStopOnNonFinite(bool stop) = 0;
  virtual void setWatch(int id, const QString& expression) = 0;
  virtual void removeWatch(int id) = 0;
  virtual void clearWatches() = 0;

 Q_SIGNALS:
  void stateChanged();
  /// Some times a second while it starts or runs.
  void progressChanged();
  /// failure() or result() is another.
  void outcomeChanged();
  /// The shown step, or what is known of it, changed: frames, registers, heap, values.
  void stopChanged();
  /// More steps are recorded.
  void traceChanged();
  void breakpointsChanged();
  /// Expressions, or what they are now.
  void watchesChanged();
  void logChanged();
  void tracedChanged();
  /// Another row of the folder is looked at.
  void tracedShown();
  void tracedRefused(const QString& folder, const QString& reason);
};

}  // namespace rx::views
