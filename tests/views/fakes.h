// A document and a debug session that are made up: what the window does with them can be tested without a core.
#pragma once

#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"

namespace rx::views {

/// A module `main` of bindings lv0 … lv(n-1) in one dataflow block, and a history of three passes.
inline StageIndexPtr fakeStage(int stage, int bindings) {
  auto index = std::make_shared<StageIndex>();
  index->stage = stage;
  index->text = "@R.function\ndef main(x: R.Tensor((\"n\", 4), \"float32\")):\n    with R.dataflow():\n";
  FunctionRow main;
  main.name = "main";
  main.signature = "(n, 4) f32";
  main.firstLine = 1;
  main.headLine = 2;
  main.params.push_back({"x", "R.Tensor((\"n\", 4), \"float32\")", "(n, 4)", "float32", {}, {}, {0}});
  BlockRow block;
  block.dataflow = true;
  block.firstLine = 3;
  for (int i = 0; i < bindings; ++i) {
    BindingRow binding;
    binding.ordinal = i;
    binding.name = binding.called = QStringLiteral("lv%1").arg(i);
    binding.label = i % 3 == 0 ? "matmul" : i % 3 == 1 ? "add" : "reshape";
    binding.info = "R.Tensor((n, 4), \"float32\")";
    binding.kind = i % 3 == 0 ? OpKind::Compute : i % 3 == 1 ? OpKind::Elementwise : OpKind::Movement;
    binding.line = 4 + i;
    binding.operands.push_back({i == 0 ? OperandRow::Kind::Param : OperandRow::Kind::Binding, i == 0 ? 0 : i - 1, {}});
    if (i + 1 < bindings) binding.usedBy.push_back(i + 1);
    block.bindings.push_back(i);
    main.bindings.push_back(binding);
    index->text += "        lv" + QByteArray::number(i) + " = R.add(x, x)\n";
  }
  block.lastLine = 3 + bindings;
  main.lastLine = 4 + bindings;
  index->text += "    return lv0\n";
  main.blocks.push_back(block);
  index->functions.push_back(main);
  FunctionRow kernel;
  kernel.name = "matmul";
  kernel.kind = FunctionKind::Prim;
  kernel.signature = "(x, w, y)";
  index->functions.push_back(kernel);
  findLines(index.get());
  return index;
}

class FakeDocument : public Document {
 public:
  State state_ = State::Empty;
  std::vector<StepRow> steps_;
  std::vector<StageIndexPtr> stages_;
  std::vector<ProblemRow> problems_;
  QString path_;
  QString error_;
  int last_ = 0;
  int bindings_ = 9;

  State state() const override { return state_; }
  QString path() const override { return path_; }
  QString folder() const override { return {}; }
  QString title() const override { return "fake.py"; }
  QString dialect() const override { return "v0.25 text"; }
  QStringList moduleNames() const override { return {"Module"}; }
  QString moduleName() const override { return "Module"; }
  QString sourceText() const override { return {}; }
  bool isStale() const override { return false; }
  const std::vector<StepRow>& steps() const override { return steps_; }
  int lastStage() const override { return last_; }
  StageIndexPtr stage(int number, bool) override {
    return number >= 0 && number <= last_ && state_ == State::Ready ? stages_[static_cast<size_t>(number)] : nullptr;
  }
  QString pipeline() const override { return "LambdaLift(), LegalizeOps()"; }
  bool canRunPasses() const override { return true; }
  const std::vector<ProblemRow>& problems() const override { return problems_; }
  QString openError() const override { return error_; }
  QString pipelineError() const override { return {}; }
  bool busy() const override { return false; }
  Progress progress() const override { return {}; }
  QString commandLine(int stage) const override { return QStringLiteral("rxs opt fake.py # stage %1").arg(stage); }
  QString programPath(int) override { return {}; }
  void writeStages(QObject*, std::function<void(Result<QString>)> answer) override { answer(QString()); }
  void open(const QString& path, const QString&) override {
    path_ = path;
    state_ = State::Ready;
    static const char* const kNames[] = {"imported", "LambdaLift", "LegalizeOps", "ToNonDataflow"};
    for (int i = 0; i < 4; ++i) {
      StepRow step;
      step.number = i;
      step.name = kNames[i];
      step.state = i == 0 ? StepState::Done : StepState::Pending;
      step.verdict = i == 0 ? Verdict::WellFormed : Verdict::Unknown;
      steps_.push_back(step);
      stages_.push_back(fakeStage(i, bindings_ + i));
    }
    Q_EMIT stateChanged();
    Q_EMIT opened();
    Q_EMIT stageReady(0);
  }
  void openAt(const Place&) override {}
  void reload() override {}
  void close() override {
    state_ = State::Empty;
    steps_.clear();
    stages_.clear();
    Q_EMIT stateChanged();
  }
  void runPassesTo(int number) override {
    for (; last_ < number; ++last_) {
      StepRow& step = steps_[static_cast<size_t>(last_ + 1)];
      step.state = StepState::Done;
      step.verdict = Verdict::WellFormed;
      step.milliseconds = 1.25;
      if (last_ > 0) step.changed.push_back({"main", 1, false, false});
    }
    Q_EMIT stepsChanged();
    Q_EMIT stageReady(number);
  }
  void setPipeline(const QString&) override {}
  void checkStage(int) override {}
  void cancel() override {}
  void setProblems(const QString&, const std::vector<ProblemRow>& problems) override {
    problems_ = problems;
    Q_EMIT problemsChanged();
  }
};

/// A machine with one instruction a binding.
class FakeDebug : public DebugSession {
 public:
  RunState state_ = RunState::Off;
  StopInfo stop_;
  RunConfig config_;
  std::vector<FrameRow> frames_;
  std::vector<InstructionRow> program_;
  std::vector<RegisterRow> registers_;
  std::vector<HeapRow> heap_;
  std::vector<TraceRow> trace_;
  std::vector<BreakpointRow> breakpoints_;
  std::vector<WatchRow> watches_;
  std::vector<LogLine> log_;
  int length_ = 9;

  RunState state() const override { return state_; }
  bool hasTrace() const override { return !trace_.empty(); }
  bool idle() const override { return true; }
  const StopInfo& stop() const override { return stop_; }
  const RunConfig& config() const override { return config_; }
  qint64 engineId() const override { return state_ == RunState::Off ? 0 : 4211; }
  QString deathReport() const override { return {}; }
  QString commandLine() const override { return "rxs run fake.py"; }
  QString memoryText() const override { return {}; }
  const std::vector<FrameRow>& frames() const override { return frames_; }
  const std::vector<InstructionRow>& instructions() const override { return program_; }
  const std::vector<RegisterRow>& registers() const override { return registers_; }
  const std::vector<HeapRow>& heap() const override { return heap_; }
  int recorded() const override { return static_cast<int>(trace_.size()); }
  /// A bar for each step, or what was put here.
  TimelinePart part_;
  void fetchTimeline(const TimelineQuery& query, QObject*, std::function<void(const TimelinePart&)> answer) override {
    TimelinePart part = part_;
    part.recorded = std::max(part.recorded, recorded());
    for (const TraceRow& row : trace_) {
      const double end = part.length + row.microseconds * 1000;
      part.bars.push_back({row.step, row.step, part.length, end, row.microseconds, row.step, false, row.bad, row.bad});
      part.length = end;
      part.microseconds += row.microseconds;
      if (row.step < query.state.value_or(0)) part.place = end;
    }
    answer(part);
  }
  const std::vector<BreakpointRow>& breakpoints() const override { return breakpoints_; }
  const std::vector<LogLine>& log() const override { return log_; }
  void addLog(const LogLine& line) override { log_.push_back(line); }
  ValueSummary valueOf(const QString&, int) const override { return {}; }
  ValueSummary valueOfParam(const QString&, const QString&) const override { return {}; }
  std::vector<std::pair<QString, qint64>> symbols(const QString&) const override { return {{"n", 17}}; }
  const BreakpointRow* breakpointAt(int, const QString&, int) const override { return nullptr; }
  ValueSummary valueAt(const QString&, int, int) const override { return {}; }
  void fetchSlice(const ElementSource&, std::vector<qint64>, std::vector<qint64>, QObject*,
                  std::function<void(const TensorSlice&)>) override {}
  void fetchSurvey(const ElementSource&, std::vector<qint64>, QObject*,
                   std::function<void(const TensorSurvey&)>) override {}
  void fetchPlane(const ElementSource&, const PlaneQuery&, QObject*, std::function<void(const TensorPlane&)>) override {
  }
  void findElement(const ElementSource&, const ElementQuery&, std::vector<qint64>, QObject*,
                   std::function<void(const ElementFound&)>) override {}
  void fetchComparison(const ElementSource&, std::vector<qint64>, QObject*,
                       std::function<void(const TensorComparison&)>) override {}
  void fetchArrays(const QString&, QObject*,
                   std::function<void(const QString&, const std::vector<ArrayRow>&)>) override {}
  void saveValue(int, const QString&, QObject*, std::function<void(const QString&)>) override {}
  void start(const RunConfig& config) override {
    config_ = config;
    state_ = RunState::Stopped;
    trace_.clear();
    moveTo(0, "entry");
  }
  void restart() override { start(config_); }
  void stopEngine() override {
    state_ = RunState::Off;
    Q_EMIT stateChanged();
  }
  void continueRun() override { moveTo(length_, "end"); }
  void pause() override {}
  void stepOver() override { moveTo(stop_.step + 1, "step"); }
  void stepInto() override { stepOver(); }
  void stepOut() override { stepOver(); }
  void stepBack() override { moveTo(stop_.step - 1, "step"); }
  void reverseContinue() override { moveTo(0, "entry"); }
  void stepInstruction() override { stepOver(); }
  void stepInstructionBack() override { stepBack(); }
  void goToStep(int step) override { moveTo(step, "goto"); }
  void selectStage(int) override {}
  void runTo(const QString&, int binding) override { moveTo(binding, "step"); }
  void toggleBreakpoint(int stage, const QString& function, int binding, const QString& variable) override {
    BreakpointRow row;
    row.id = static_cast<int>(breakpoints_.size()) + 1;
    row.stage = stage;
    row.function = function;
    row.binding = binding;
    row.variable = variable;
    breakpoints_.push_back(row);
    Q_EMIT breakpointsChanged();
  }
  void setBreakpointEnabled(int id, bool enabled) override {
    for (BreakpointRow& row : breakpoints_) {
      if (row.id == id) row.enabled = enabled;
    }
    Q_EMIT breakpointsChanged();
  }
  void setBreakpointRule(int, const BreakpointRule&) override {}
  int addBreakpoint(const BreakpointRow& row) override {
    breakpoints_.push_back(row);
    return row.id;
  }
  const std::vector<WatchRow>& watches() const override { return watches_; }
  void evaluate(const QString&, QObject*, std::function<void(const WatchRow&)>) override {}
  void fetchPlot(const QString&, QObject*, std::function<void(const WatchPlot&)>) override {}
  int addWatch(const QString& expression) override {
    WatchRow row;
    row.expression = expression;
    watches_.push_back(row);
    return 0;
  }
  void setWatch(int, const QString&) override {}
  void removeWatch(int) override {}
  void clearWatches() override { watches_.clear(); }
  void removeBreakpoint(int id) override {
    std::erase_if(breakpoints_, [id](const BreakpointRow& row) { return row.id == id; });
    Q_EMIT breakpointsChanged();
  }
  void clearBreakpoints() override {
    breakpoints_.clear();
    Q_EMIT breakpointsChanged();
  }
  void setStopOnNonFinite(bool) override {}

 private:
  void moveTo(int step, const QString& reason) {
    step = std::clamp(step, 0, length_);
    while (static_cast<int>(trace_.size()) < step) {
      TraceRow row;
      row.step = static_cast<int>(trace_.size());
      row.what = "matmul";
      row.variable = row.called = QStringLiteral("lv%1").arg(row.step);
      row.microseconds = 10 + 7 * (row.step % 4);
      row.bad = row.step == 5;
      trace_.push_back(row);
    }
    state_ = step == length_ ? RunState::Ended : RunState::Stopped;
    const QString variable = QStringLiteral("lv%1").arg(std::min(step, length_ - 1));
    stop_ = {reason, reason, "main", std::min(step, length_ - 1), variable, variable, 4 + step, step, step};
    stop_.nextFunction = stop_.function;
    stop_.nextBinding = stop_.binding;
    stop_.nextLine = stop_.line;
    program_.clear();
    registers_.clear();
    for (int i = 0; i < length_; ++i) {
      InstructionRow instruction;
      instruction.index = i;
      instruction.function = "main";
      instruction.text = instruction.full = QStringLiteral("call matmul %%1, %%2 → %%3").arg(i).arg(i + 1).arg(i + 2);
      instruction.what = "matmul";
      instruction.variable = instruction.called = QStringLiteral("lv%1").arg(i);
      instruction.line = 4 + i;
      instruction.current = i == step;
      program_.push_back(instruction);
      RegisterRow row;
      row.name = QStringLiteral("%%1").arg(i);
      row.binding = QStringLiteral("lv%1").arg(i);
      row.value.known = i < step;
      row.value.text = "(17, 4) float32";
      row.changed = i == step - 1;
      registers_.push_back(row);
    }
    heap_ = {{0, true, 17, "n", "x axis 0", false}, {1, step > 3, 68, "n * 4", "make_shape", step == 4}};
    frames_ = {{1, "main", stop_.variable, stop_.called, stop_.binding, stop_.line, step}};
    Q_EMIT stateChanged();
    Q_EMIT traceChanged();
    Q_EMIT stopChanged();
  }
};

}  // namespace rx::views
