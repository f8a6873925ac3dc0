// The debug session over a real engine: `rxs dap` as a child process. Everything is asked asynchronously; what is known
// of a stop is shown when all of it has arrived. When the engine dies the rows stay, and a fresh engine reads the trace
// that the dead one recorded, so that every step until then can be looked at.
#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <map>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/kernel_stepper.h"
#include "views/models/scratch_folder.h"
#include "views/session/breakpoint_list.h"
#include "views/session/engine_process.h"
#include "views/session/frame_registers.h"
#include "views/session/frame_values.h"
#include "views/session/log_file.h"
#include "views/session/watch_list.h"

namespace rx::dap {
struct KernelThreadsBody;
}

namespace rx::views {

class LiveRunAge;

class LiveDebug : public DebugSession, public KernelStepper {
  Q_OBJECT

 public:
  explicit LiveDebug(Document* document, QObject* parent = nullptr);
  ~LiveDebug() override;

  RunState state() const override { return state_; }
  bool hasTrace() const override;
  bool idle() const override {
    return asked_ == 0 && !comparing_ && !readsTraced_ && state_ != RunState::Starting && state_ != RunState::Running;
  }
  const StopInfo& stop() const override { return stop_; }
  const RunConfig& config() const override { return config_; }
  qint64 engineId() const override { return engine_ ? engine_->id() : 0; }
  QString deathReport() const override { return death_; }
  bool replays() const override { return replays_; }
  RunProgress progress() const override;
  const RunFailure* failure() const override { return failure_ ? &*failure_ : nullptr; }
  const RunResult* result() const override { return result_ && !comparing_ ? &*result_ : nullptr; }
  QString commandLine() const override;
  QString memoryText() const override { return memory_; }
  const std::vector<FrameRow>& frames() const override { return frames_; }
  const std::vector<InstructionRow>& instructions() const override { return program_; }
  const std::vector<RegisterRow>& registers() const override { return registers_.rows(); }
  const std::vector<HeapRow>& heap() const override { return heap_; }
  int recorded() const override { return recorded_; }
  const std::vector<BreakpointRow>& breakpoints() const override { return breakpoints_.rows(); }
  const std::vector<LogLine>& log() const override { return log_; }
  void addLog(const LogLine& line) override { note(line.kind, line.text); }
  const std::vector<WatchRow>& watches() const override { return watches_.rows(); }
  KernelStepper* kernelStepper() override { return this; }
  const KernelThreads& threads() const override { return threads_; }
  ValueSummary valueOf(const QString& function, int binding) const override;
  ValueState valueState(const QString& function, int binding) const override;
  ValueSummary valueOfParam(const QString& function, const QString& name) const override;
  std::vector<std::pair<QString, qint64>> symbols(const QString& function) const override;
  const TracedValues& traced() const override { return traced_; }
  const BreakpointRow* breakpointAt(int stage, const QString& function, int binding) const override;
  ValueSummary valueAt(const QString& function, int binding, int step) const override;
  void fetchSlice(const ElementSource& source, std::vector<qint64> begin, std::vector<qint64> extent, QObject* context,
                  std::function<void(const TensorSlice&)> answer) override;
  void fetchSurvey(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                   std::function<void(const TensorSurvey&)> answer) override;
  void fetchPlane(const ElementSource& source, const PlaneQuery& query, QObject* context,
                  std::function<void(const TensorPlane&)> answer) override;
  void findElement(const ElementSource& source, const ElementQuery& query, std::vector<qint64> shape, QObject* context,
                   std::function<void(const ElementFound&)> answer) override;
  void fetchComparison(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                       std::function<void(const TensorComparison&)> answer) override;
  void fetchArrays(const QString& path, QObject* context,
                   std::function<void(const QString&, const std::vector<ArrayRow>&)> answer) override;
  void saveValue(int reference, const QString& path, QObject* context,
                 std::function<void(const QString&)> answer) override;
  QString pastOf() const override;
  bool knowsStage(int stage) const override;
  bool canSetValues() const override;
  void setValue(const ValueSummary& value, const QString& part, const QString& text, QObject* context,
                std::function<void(const QString&)> answer) override;
  void evaluate(const QString& expression, QObject* context, std::function<void(const WatchRow&)> answer) override;
  void fetchPlot(const QString& expression, QObject* context, std::function<void(const WatchPlot&)> answer) override;
  void fetchMemory(MemoryPart part, QObject* context, std::function<void(const MemoryMap&)> answer) override;
  void fetchSteps(int first, int count, QObject* context,
                  std::function<void(const std::vector<TraceRow>&)> answer) override;
  void fetchTimeline(const TimelineQuery& query, QObject* context,
                     std::function<void(const TimelinePart&)> answer) override;
  void fetchTimes(const QString& function, QObject* context, std::function<void(const BindingTimes&)> answer) override;
  void fetchStepOf(const QString& function, int binding, QObject* context, std::function<void(int)> answer) override;
  int addBreakpoint(const BreakpointRow& row) override;
  int addWatch(const QString& expression) override;

  void start(const RunConfig& config) override;
  void refuse(const RunConfig& config, const QString& rule, const QString& message) override;
  void restart() override;
  void openRecording(const QString& path) override;
  void openTraced(const QString& folder) override;
  void showTraced(int row) override;
  QString recordingFile() const override { return hasTrace() ? tracePath_ : QString(); }
  void stopEngine() override;
  void continueRun() override;
  void pause() override;
  void stepOver() override;
  void stepInto() override;
  void stepOut() override;
  void enterThreads() override;
  void chooseGroup(int launch, const std::vector<qint64>& group) override;
  void stepThreads(const QString& of) override;
  void showThread(int id) override;
  void stepBack() override;
  void reverseContinue() override;
  void stepInstruction() override;
  void stepInstructionBack() override;
  void goToStep(int step) override;
  void selectStage(int stage) override;
  void runTo(const QString& function, int binding) override;
  void toggleBreakpoint(int stage, const QString& function, int binding, const QString& variable) override;
  void setBreakpointEnabled(int id, bool enabled) override;
  void setBreakpointRule(int id, const BreakpointRule& rule) override;
  void removeBreakpoint(int id) override;
  void clearBreakpoints() override;
  void setStopOnNonFinite(bool stop) override;
  void setWatch(int id, const QString& expression) override;
  void removeWatch(int id) override;
  void clearWatches() override;

  /// From now on the log is written to a file too.
  void keepLog(const QString& path) { logFile_.open(path); }

 private:
  bool makeEngine();
  void dropEngine(void (EngineProcess::*go)() = &EngineProcess::retire);
  void forgetRun();
  void launch();
  void launch(const QString& stages);
  /// To an engine that was attached to the module itself goes, since it sees no file of this machine.
  void launchAttached();
  bool attached() const { return !config_.engine.isEmpty(); }
  /// Asks the engine to run what was put together.
  void sendLaunch(dap::LaunchArguments launch);
  /// The engine's number of the stage of the run: of a folder of stages it has only the one that it was given.
  int engineStage() const { return document_->canRunPasses() ? config_.stage : 0; }
  void configure();
  void takeEvent(const QString& name, const dap::Json& body);
  void takeStop(const dap::Json& body);
  void takePosition(const dap::Position& position);
  static bool atEnd(const dap::Position& position) { return position.ended && !position.past; }
  /// The number that a binding of the run has in the document: by its name, where that has another text by now; -1
  /// where there is none.
  int numberNow(const QString& function, int64_t binding, const QString& variable) const;
  /// The other way round; -1 where the run has none that is known.
  int64_t numberThen(const QString& function, int binding) const;
  /// Gives all that is known of the run its places in the text that the document has now.
  void placeAnew();
  /// Forgets and asks for all that goes by the bindings of the stage.
  void forgetStage();
  void releaseRows();
  void askStage();
  /// Where the stop is, in the frame that it is in.
  void nameFrames();
  void takeFrames(const dap::StackTraceBody& body);
  void engineGone(const QString& how);
  void refused(const std::vector<Diagnostic>& diagnostics);
  void fail(const std::vector<Diagnostic>& diagnostics);
  void fail(const std::vector<Diagnostic>& diagnostics, RunFailure failure);
  void setFailure(RunFailure failure, std::vector<ProblemRow> rows);
  void takeFailure(const dap::Json& body);
  void placeFailure();
  void askResult();
  void takeResult(const dap::ResultBody& body);
  void askNonFinite();
  void saveForComparison();
  void completeResult();
  void watchRun();
  void takeProgress(const dap::Json& body);
  void growProgram();
  void addInstructions(const dap::ProgramBody& body);
  void askAll();
  void askProgram();
  void askRegisters();
  void askValues();
  void askWatches(bool again);
  void askThreads();
  void takeThreads(const dap::KernelThreadsBody& body);
  /// A step of the current thread of a kernel where the run is in one, else of the run itself.
  dap::StepArguments by(const char* granularity) const;
  void watchesMoved();
  void markCurrent();
  void markBreakpoints();
  void askTimes(const QString& function, int64_t start, BindingTimes known, const QPointer<QObject>& context,
                std::function<void(const BindingTimes&)> answer);
  /// Whether the engine can be asked about the step that is shown.
  bool stands() const;
  bool isManaged(const QString& function, int binding) const;
  /// The binding of the stage that runs; null where its rows are not there yet.
  const BindingRow* bindingAt(const QString& function, int binding) const;
  /// What a step or an instruction goes by that works for a binding of a function.
  QString calledOf(const QString& function, int binding, const QString& variable) const;
  void breakpointsMoved();
  void answered();
  void nameRegisters();
  /// By what the registers of the frame that is shown go; null where the program is not known.
  const FrameRegisters::Names* namesOfFrame() const;
  void sendBreakpoints();
  void sendFilters();
  void setState(RunState state);
  void note(LogLine::Kind kind, const QString& text);
  int lineOf(const QString& function, int binding) const;
  void openTrace();
  void traceOpened(const dap::Position& position);
  /// Why a recording is none of the open module; empty where it is.
  QString otherModule(const dap::StagesBody& stages) const;
  void showRecording(const dap::Position& position);
  QString deathPlace() const;
  void reportDeath();
  ProblemRow runProblem(const QString& rule, const QString& message) const;
  void placeException();
  void placeNext();
  void placeMade();

  /// Asks a request whose answer belongs to what is shown; `take` gets the body of a success.
  template <class R>
  void ask(const typename R::Arguments& arguments, std::function<void(const typename R::Body&)> take);
  /// Asks about a value for a view: `take` gets the answer or the refusal in words, unless `context` is gone.
  template <class R>
  void askFor(QObject* context, const typename R::Arguments& arguments,
              std::function<void(const QString& error, const typename R::Body&)> take);
  /// The same of a value of a folder: `study` answers about its arrays on a worker, where they can be read.
  template <class Answer, class Study>
  void askTraced(const ElementSource& source, QObject* context, Study study, std::function<void(const Answer&)> answer);
  /// Asks for a motion: the machine runs until a `stopped` event.
  template <class R>
  void move(const typename R::Arguments& arguments);
  void changePast(const ValueSummary& value, const QString& part, const QString& text,
                  std::function<void(const QString&)> answer);
  /// The same over recorded steps, which a dead engine's trace has too.
  template <class R>
  void look(const typename R::Arguments& arguments);

  Document* document_;
  std::unique_ptr<EngineProcess> engine_;
  RunState state_ = RunState::Off;
  RunConfig config_;
  StopInfo stop_;
  QString death_;
  QString memory_;
  qint64 peakBytes_ = 0;
  std::optional<RunFailure> failure_;
  std::optional<RunResult> result_;
  bool comparing_ = false;  // the result is not complete yet
  dap::ProgressInfo pulse_;
  QElapsedTimer running_;  // since the run was started or went on
  QElapsedTimer heard_;    // since the engine said something
  QTimer ticks_;
  LiveRunAge* age_;
  bool programLeft_ = false;  // instructions of the program that are not known yet
  QString lastText_;          // instruction that comes next, for the report of a death
  QString stopFunction_;      // of the program, where the machine stands
  QString doneFunction_;      // of the stage, and the binding in it: what the last step before worked for
  QString doneVariable_;
  int doneBinding_ = -1;
  mutable std::map<std::pair<QString, int>, int64_t> then_;  // of bindings in another text, their numbers in the run
  bool moved_ = false;                                       // the document has another text than the run
  int written_ = 0;  // the data breakpoint that the last stop is for; 0 for none
  QString module_;   // path and name of the one that is open
  QString tracePath_;
  QString diedHow_;  // "killed by signal 9"
  QString said_;     // what the engine wrote to standard error last
  RunState diedIn_ = RunState::Off;
  std::vector<FrameRow> frames_;
  std::vector<InstructionRow> program_;
  int current_ = -1;         // of its rows the one that is marked as such
  std::vector<int> marked_;  // its rows where breakpoints stop
  bool marksKnown_ = false;  // of all rows that there are by now
  FrameRegisters registers_;
  std::vector<HeapRow> heap_;
  int recorded_ = 0;
  BreakpointList breakpoints_;
  WatchList watches_;
  std::vector<LogLine> log_;
  FrameValues values_;
  KernelThreads threads_;
  std::map<QString, FrameRegisters::Names> registerNames_;  // of each VM function: register to binding
  int asked_ = 0;
  int engines_ = 0;  // answers of an earlier engine are told by this number
  int runs_ = 0;
  int saves_ = 0;  // of values, to files
  bool stopOnNonFinite_ = false;
  bool configured_ = false;
  bool replays_ = false;
  TracedValues traced_;
  int tracedMade_ = 0;        // values of all folders so far: a reference is never given twice
  bool readsTraced_ = false;  // a folder is being read
  bool recording_ = false;    // what is shown was opened from a file: no engine ran it here
  ScratchFolder traces_;
  LogFile logFile_;
};

}  // namespace rx::views
