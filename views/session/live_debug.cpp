#include "views/session/live_debug.h"

#include <QFile>
#include <algorithm>
#include <tuple>
#include <utility>

#include "views/models/diagnostics_report.h"
#include "views/models/moved_place.h"
#include "views/models/numbers.h"
#include "views/models/problem_list.h"
#include "views/models/worker.h"
#include "views/session/live_debug_ask.h"
#include "views/session/live_run_age.h"

namespace rx::views {
namespace {

constexpr size_t kMostLog = 5000;
constexpr size_t kLogOver = kMostLog / 4;  // more lines than that go together: each time all others move
constexpr int64_t kPart = 200;             // rows of one answer
constexpr int64_t kMostReserved = 10'000'000;

/// The longest sentence about a stop that the engine gave: story 4's message is in the diagnostics.
QString descriptionOf(const dap::Json& body) {
  const auto text = body.find("description");
  return text != body.end() && text->is_string() ? qtText(text->get<std::string>()) : QString();
}

/// What a step or an instruction of a binding goes by; where its row is not there yet, by the engine's name.
QString calledBy(const BindingRow* binding, const QString& variable) {
  return binding && binding->name == variable ? binding->called : variable;
}

}  // namespace

LiveDebug::LiveDebug(Document* document, QObject* parent)
    : DebugSession(parent), document_(document), age_(new LiveRunAge(document, this)) {
  // What another module was given is nothing for this one; it is compiled as that was.
  connect(document, &Document::opened, this, [this] {
    const QString module = document_->path() + '\n' + document_->moduleName();
    if (std::exchange(module_, module) == module || replays()) return;
    const RunConfig last = std::exchange(config_, {});
    config_.plugins = last.plugins;
    config_.target = last.target;
    config_.mode = last.mode;
  });
  connect(document, &Document::opened, this, &LiveDebug::placeAnew);
  connect(document, &Document::stageReady, this, [this](int stage) {
    if (moved_ && stage == config_.stage) return placeAnew();
    // What the engine told before the stage was there goes by the engine's names, which for a call without a result
    // is "_".
    const bool bare =
        std::ranges::any_of(program_, [](const InstructionRow& row) { return row.binding >= 0 && row.line == 0; });
    if (stage != config_.stage || !bare || !hasTrace()) return;
    forgetStage();
    askStage();
  });
  connect(&ticks_, &QTimer::timeout, this, &LiveDebug::progressChanged);
}

LiveDebug::~LiveDebug() = default;

bool LiveDebug::hasTrace() const {
  return recorded_ > 0 && (state_ == RunState::Stopped || state_ == RunState::Ended || state_ == RunState::Died);
}

template <class R>
void LiveDebug::look(const typename R::Arguments& arguments) {
  if (!engine_) openTrace();
  move<R>(arguments);  // behind the opening, in the order in which the engine is asked
}

bool LiveDebug::makeEngine() {
  dropEngine(&EngineProcess::leave);
  engine_ = std::make_unique<EngineProcess>();
  connect(engine_.get(), &EngineProcess::told, this, &LiveDebug::takeEvent);
  connect(engine_.get(), &EngineProcess::gone, this, &LiveDebug::engineGone);
  said_.clear();
  connect(engine_.get(), &EngineProcess::said, this, [this](const QString& text) {
    said_ = text;
    note(LogLine::Kind::Error, text);
  });
  const QString refused =
      attached() ? engine_->attach(config_.engine, config_.token) : engine_->start(traces_.path(), config_.plugins);
  if (refused.isEmpty() && engine_) return true;
  if (!engine_) return false;  // it is gone already, which was told
  engine_.reset();
  fail({errorAt({}, "engine.start", refused.toStdString())});
  return false;
}

void LiveDebug::dropEngine(void (EngineProcess::*go)()) {
  if (!engine_) return;
  // Not deleted here: this may run inside of an answer of its client.
  const QPointer<EngineProcess> left = engine_.release();
  (left.data()->*go)();
  ++engines_;
  // Who asked it for something waits for an answer, which does not come any more.
  QMetaObject::invokeMethod(
      this,
      [left] {
        if (left) left->answerRest();
      },
      Qt::QueuedConnection);
  asked_ = 0;
  replays_ = comparing_ = false;
}

void LiveDebug::forgetRun() {
  death_.clear();
  memory_.clear();
  peakBytes_ = 0;
  failure_.reset();
  result_.reset();
  lastText_.clear();
  stop_ = {};
  frames_.clear();
  heap_.clear();
  recorded_ = 0;
  releaseRows();
  threads_ = {};
  watches_.forgetRun();
}

void LiveDebug::start(const RunConfig& config) {
  recording_ = moved_ = false;
  config_ = config;
  stopOnNonFinite_ = config.stopOnNonFinite;
  forgetRun();
  breakpoints_.forgetRun();
  document_->setProblems(kOfRun, {});
  if (!makeEngine()) return;
  note(LogLine::Kind::Note, tr("engine %1 started: %2").arg(engine_->id()).arg(commandLine()));
  setState(RunState::Starting);
  Q_EMIT outcomeChanged();
  Q_EMIT traceChanged();
  Q_EMIT stopChanged();
  launch();
}

void LiveDebug::refuse(const RunConfig& config, const QString& rule, const QString& message) {
  if (state_ == RunState::Running || state_ == RunState::Starting) return;
  dropEngine();
  forgetRun();
  config_ = config;
  fail({errorAt({}, rule.toStdString(), message.toStdString())});
  Q_EMIT traceChanged();
  Q_EMIT stopChanged();
}

void LiveDebug::restart() {
  if (!recording_) start(config_);
}

void LiveDebug::takeEvent(const QString& name, const dap::Json& body) {
  heard_.start();
  if (name == "initialized") return configure();
  if (name == "stopped") return takeStop(body);
  if (name == dap::ProgressInfo::kEvent) return takeProgress(body);
  if (name == "output") {
    const std::string text = body.is_object() && body.contains("output") && body["output"].is_string()
                                 ? body["output"].get<std::string>()
                                 : "";
    const bool error = body.is_object() && body.value("category", dap::Json("")) == "stderr";
    return note(error ? LogLine::Kind::Error : LogLine::Kind::Output, qtText(text).trimmed());
  }
  if (name == "terminated") {
    stop_.reason = "end";
    setState(RunState::Ended);
    askAll();
  }
}

void LiveDebug::takeStop(const dap::Json& body) {
  if (!body.is_object()) return;
  ++asked_;  // nobody takes the stop for known before all about it is asked
  stop_ = {};
  stop_.reason = qtText(body.value("reason", std::string("step")));
  stop_.description = descriptionOf(body);
  threads_.forget();
  threads_.current = body.value("threadId", 1);
  const BreakpointRow* written = breakpoints_.written(body);
  written_ = written ? written->id : 0;
  if (breakpoints_.takeHits(body)) Q_EMIT breakpointsChanged();
  if (stop_.description.isEmpty() || stop_.reason == "data breakpoint")
    if (const QString reason = breakpoints_.reason(body); !reason.isEmpty()) stop_.description = reason;
  if (const auto at = body.find("rxs"); at != body.end()) {
    if (const Result<dap::Position> position = dap::decode<dap::Position>(*at, "stopped")) {
      takePosition(*position);
      setState(atEnd(*position) ? RunState::Ended : RunState::Stopped);
    }
  }
  // An error that the program ended in comes with findings; a stop at a NaN does not, and the run can go on.
  const bool over = state_ == RunState::Ended;
  if (over && body.contains("diagnostics")) {
    takeFailure(body);
  } else if (stop_.reason == "exception" && !stop_.description.isEmpty()) {
    document_->setProblems(kOfRun, {runProblem("run.stopped", stop_.description)});
  }
  askAll();
  if (over && !failure_) askResult();
  answered();
}

/// Between bindings (checks of arguments, the end of a value) the next one in the program is what runs next.
void LiveDebug::placeNext() {
  if (stop_.nextBinding >= 0 || stop_.instruction < 0) return;
  for (size_t i = static_cast<size_t>(stop_.instruction); i < program_.size(); ++i) {
    const InstructionRow& row = program_[i];
    if (row.function != stopFunction_) return;
    if (row.binding < 0 || isManaged(row.bindingFunction, row.binding)) continue;
    stop_.nextFunction = row.bindingFunction;
    stop_.nextBinding = row.binding;
    stop_.nextLine = row.line;
    if (stop_.reason == "exception") return;
    stop_.function = row.bindingFunction;
    stop_.binding = row.binding;
    stop_.variable = row.variable;
    stop_.called = row.called;
    stop_.line = row.line;
    return;
  }
}

/// The binding whose memory was waited for, else the one whose work ended last before this point; the one that runs
/// next may have its buffer already.
void LiveDebug::placeMade() {
  const std::vector<BreakpointRow>& rows = breakpoints_.rows();
  const auto waited = std::find_if(rows.begin(), rows.end(), [this](const BreakpointRow& row) {
    return row.id == written_ && row.stage == config_.stage;
  });
  if (waited != rows.end()) {
    stop_.madeFunction = waited->function;
    stop_.madeBinding = waited->binding;
    stop_.madeVariable = waited->variable;
    return;
  }
  const bool here = stop_.nextFunction == values_.function();
  stop_.madeBinding = values_.newest(here ? stop_.nextBinding : -1);
  stop_.madeFunction = stop_.madeBinding >= 0 ? values_.function() : QString();
  stop_.madeVariable =
      stop_.madeBinding >= 0 ? values_.ofBinding(stop_.madeFunction, stop_.madeBinding).variable : QString();
}

void LiveDebug::takePosition(const dap::Position& position) {
  stop_.function = qtText(position.function);
  stop_.binding = numberNow(stop_.function, position.binding, qtText(position.variable));
  stop_.variable = qtText(position.variable);
  stop_.called = calledOf(stop_.function, stop_.binding, stop_.variable);
  stop_.step = static_cast<int>(position.step);
  stop_.instruction = static_cast<int>(position.instruction);
  stop_.line = lineOf(stop_.function, stop_.binding);
  stop_.past = position.past;
  recorded_ = static_cast<int>(position.recorded);
  doneFunction_ = qtText(position.doneFunction);
  doneVariable_ = qtText(position.doneVariable);
  doneBinding_ = numberNow(doneFunction_, position.doneBinding, doneVariable_);
  stop_.nextFunction = stop_.function;
  stop_.nextBinding = stop_.binding;
  stop_.nextLine = stop_.line;
  stopFunction_ = qtText(position.vmFunction);
  lastText_ = shortInstruction(qtText(position.text));
  if (atEnd(position) && stop_.description.isEmpty())
    stop_.description = replays_                ? tr("the recorded trace ends here")
                        : stop_.reason == "end" ? tr("the function returned")
                                                : QString();
}

int LiveDebug::numberNow(const QString& function, int64_t binding, const QString& variable) const {
  if (!moved_ || binding < 0) return static_cast<int>(binding);
  const StageIndexPtr index = document_->stage(config_.stage, false);
  if (!index) return -1;
  const int now = movedIn(*index, {config_.stage, function, static_cast<int>(binding), variable}).binding;
  if (now >= 0) then_[{function, now}] = binding;
  return now;
}

int64_t LiveDebug::numberThen(const QString& function, int binding) const {
  if (!moved_) return binding;
  const auto found = then_.find({function, binding});
  return found == then_.end() ? -1 : found->second;
}

void LiveDebug::placeAnew() {
  const bool before = std::exchange(moved_, age_->isOfOtherText());
  if (!before && !moved_) return;
  if (failure_ && failure_->binding >= 0)
    failure_->binding = numberNow(failure_->function, failure_->binding, failure_->variable);
  // What is not asked for now is asked for at the next stop; all comes again when the stage is there.
  forgetStage();
  if (hasTrace()) askStage();
}

const BindingRow* LiveDebug::bindingAt(const QString& function, int binding) const {
  const StageIndexPtr index = document_->stage(config_.stage, false);
  const FunctionRow* row = index ? index->function(function) : nullptr;
  return row ? row->binding(binding) : nullptr;
}

QString LiveDebug::calledOf(const QString& function, int binding, const QString& variable) const {
  return calledBy(bindingAt(function, binding), variable);
}

/// Memory and the machine's own work, where nothing stops.
bool LiveDebug::isManaged(const QString& function, int binding) const {
  const BindingRow* found = bindingAt(function, binding);
  return found && (found->role == FlowRole::Buffer || found->role == FlowRole::Machine);
}

int LiveDebug::lineOf(const QString& function, int binding) const {
  const BindingRow* found = bindingAt(function, binding);
  return found ? found->line : 0;
}

void LiveDebug::askAll() {
  if (!engine_) return;
  if (program_.empty() || programLeft_) askProgram();
  ask<dap::StackTrace>({}, [this](const dap::StackTraceBody& body) { takeFrames(body); });
  askRegisters();
  ask<dap::ShapeHeap>({}, [this](const dap::ShapeHeapBody& body) {
    heap_.clear();
    for (const dap::HeapSlotInfo& info : body.slots) heap_.push_back(rowOf(info));
  });
  askValues();
  askThreads();
  askWatches(false);
  ask<dap::Memory>({false}, [this](const dap::MemoryBody& body) {
    peakBytes_ = body.peakBytes;
    memory_ =
        body.peakBytes > 0 ? tr("%1 of %2 peak").arg(bytesText(body.liveBytes), bytesText(body.peakBytes)) : QString();
  });
}

/// In parts: one answer about a long program would hold the window up.
void LiveDebug::askProgram() {
  dap::RangeArguments arguments;
  arguments.start = static_cast<int64_t>(program_.size());
  arguments.count = kPart;
  ask<dap::ProgramRequest>(arguments, [this, from = program_.size()](const dap::ProgramBody& body) {
    if (from == program_.size()) addInstructions(body);
    if (programLeft_) askProgram();
  });
}

void LiveDebug::addInstructions(const dap::ProgramBody& body) {
  // To move a hundred thousand rows to where more have room would hold the window up.
  if (program_.empty()) program_.reserve(static_cast<size_t>(std::clamp<int64_t>(body.total, 0, kMostReserved)));
  for (const dap::InstructionInfo& info : body.instructions) {
    program_.push_back(rowOf(info));
    InstructionRow& row = program_.back();
    row.binding = numberNow(row.bindingFunction, row.binding, row.variable);
    const InstructionRow* before = program_.size() > 1 ? &program_[program_.size() - 2] : nullptr;
    row.offset = before && before->function == row.function ? before->offset + 1 : 0;
    const BindingRow* binding = bindingAt(row.bindingFunction, row.binding);
    row.line = binding ? binding->line : 0;
    row.called = calledBy(binding, row.variable);
    if (!row.builtin) row.kind = binding ? binding->kind : OpKind::Compute;
    if (row.writes.isEmpty() || row.variable.isEmpty()) continue;
    FrameRegisters::Names& names = registerNames_[row.function];
    if (!names.contains(row.writes)) names.insert(row.writes, row.called);
  }
  marksKnown_ = false;
  programLeft_ = !body.instructions.empty() && static_cast<int64_t>(program_.size()) < body.total;
}

void LiveDebug::askRegisters() {
  ask<dap::Registers>(registers_.request(stop_.step), [this, at = stop_.step](const dap::RegistersBody& body) {
    if (at == stop_.step && !registers_.take(body, at, programLeft_ ? nullptr : namesOfFrame())) askRegisters();
  });
}

void LiveDebug::askValues() {
  ask<dap::Values>(values_.request(), [this, at = stop_.step](const dap::ValuesBody& body) {
    const auto number = [this](const QString& function, int64_t binding, const QString& variable) {
      return numberNow(function, binding, variable);
    };
    if (!values_.take(body, at, number) && at == stop_.step) askValues();
  });
}

void LiveDebug::takeFrames(const dap::StackTraceBody& body) {
  frames_.clear();
  for (const dap::StackFrame& frame : body.stackFrames) {
    FrameRow row;
    row.id = static_cast<int>(frame.id);
    row.function = qtText(frame.name);
    bool known = false;
    const int at = qtText(frame.instructionPointerReference.value_or("")).toInt(&known, 0);
    if (known) row.instruction = at;
    frames_.push_back(row);
  }
}

/// Every frame by the binding of the shown stage that it stands at, with the line in that stage's text.
void LiveDebug::nameFrames() {
  for (FrameRow& frame : frames_) {
    if (frame.instruction < 0 || frame.instruction >= static_cast<int>(program_.size())) continue;
    const InstructionRow& at = program_[static_cast<size_t>(frame.instruction)];
    if (at.binding < 0) continue;
    frame.function = at.bindingFunction;
    frame.variable = at.variable;
    frame.called = at.called;
    frame.binding = at.binding;
    frame.line = at.line;
  }
  if (frames_.empty()) return;
  FrameRow& inner = frames_.front();
  inner.variable = stop_.variable;
  inner.called = stop_.called;
  inner.binding = stop_.binding;
  inner.line = stop_.line;
  inner.instruction = stop_.instruction;
}

void LiveDebug::answered() {
  if (asked_ > 0) --asked_;
  if (asked_ > 0) return;
  placeNext();
  placeException();
  placeFailure();
  placeMade();
  nameFrames();
  completeResult();
  nameRegisters();
  markCurrent();
  if (!marksKnown_) markBreakpoints();
  Q_EMIT stopChanged();
}

/// After the last return the registers are still those of the function that was run.
const FrameRegisters::Names* LiveDebug::namesOfFrame() const {
  // A frame goes by the function that its bindings are written in, which a local one does not have by its name.
  const int at = frames_.empty() ? -1 : frames_.front().instruction;
  const bool known = at >= 0 && at < static_cast<int>(program_.size());
  const auto found = registerNames_.find(known             ? program_[static_cast<size_t>(at)].function
                                         : frames_.empty() ? config_.function
                                                           : frames_.front().function);
  return found == registerNames_.end() ? nullptr : &found->second;
}

/// A register is best known by the binding of the shown stage that it was made for, not by the name that the last pass
/// gave it.
void LiveDebug::nameRegisters() {
  if (const FrameRegisters::Names* names = namesOfFrame()) registers_.name(*names);
}

void LiveDebug::engineGone(const QString& how) {
  if (!engine_) return;
  const bool reader = replays_;
  engine_.release()->deleteLater();
  ++engines_;
  asked_ = 0;
  replays_ = comparing_ = false;
  if (state_ == RunState::Off) return;
  if (!reader) {
    diedHow_ = how;
    diedIn_ = state_;
  }
  note(LogLine::Kind::Error,
       reader ? tr("The reader of the trace is gone: %1").arg(how) : tr("The engine is gone: %1").arg(how));
  reportDeath();
  setState(RunState::Died);
  Q_EMIT stopChanged();
  if (!reader) openTrace();  // a reader that died is started again only when somebody wants to look
}

/// The trace that the dead engine wrote, read by a fresh one. Nothing happens where no step was recorded.
void LiveDebug::openTrace() {
  if (!QFile::exists(tracePath_) || !makeEngine()) return;
  replays_ = true;
  // Values are known by numbers that the dead engine gave: the reader has others for them.
  registers_ = {};
  values_ = {};
  engine_->client().request("initialize", {{"clientID", "relaxscope"}, {"adapterID", "rxs"}});
  ++asked_;
  engine_->client().call<dap::OpenTrace>(
      {tracePath_.toStdString()}, [this, engine = engines_](Result<dap::Position> position) {
        if (engine != engines_) return;
        if (position) {
          traceOpened(*position);
        } else if (recording_) {
          dropEngine();
          fail(position.diagnostics());
        } else {
          recorded_ = 0;
          note(LogLine::Kind::Note, tr("Nothing was recorded: %1").arg(textOf(position.diagnostics())));
          dropEngine();
          setState(RunState::Died);
        }
        answered();
      });
}

void LiveDebug::traceOpened(const dap::Position& position) {
  if (recording_) return showRecording(position);
  sendFilters();
  sendBreakpoints();
  const auto show = [this](const dap::Position& at) {
    stop_.reason = "end";
    stop_.description = tr("the trace ends here");
    takePosition(at);
    reportDeath();  // the last recorded step is nearer to the death than the last stop
    askAll();
    Q_EMIT stateChanged();
  };
  if (engineStage() == position.stage) return show(position);
  ask<dap::SelectStage>({engineStage()}, show);
}

void LiveDebug::stopEngine() {
  if (state_ == RunState::Off && !failure_) return;
  dropEngine();
  forgetRun();
  document_->setProblems(kOfRun, {});  // what a run found is about that run
  setState(RunState::Off);
  Q_EMIT outcomeChanged();
  Q_EMIT traceChanged();
  Q_EMIT stopChanged();
  Q_EMIT watchesChanged();
}

void LiveDebug::continueRun() { move<dap::Continue>({}); }
void LiveDebug::stepOver() { move<dap::Next>(by("statement")); }
void LiveDebug::stepInto() { move<dap::StepIn>(by("statement")); }
void LiveDebug::stepOut() { move<dap::StepOut>(by("statement")); }
void LiveDebug::stepInstruction() { move<dap::Next>(by("instruction")); }
void LiveDebug::stepBack() { look<dap::StepBack>(by("statement")); }
void LiveDebug::stepInstructionBack() { look<dap::StepBack>(by("instruction")); }
void LiveDebug::reverseContinue() { look<dap::ReverseContinue>({}); }
void LiveDebug::goToStep(int step) { look<dap::GoTo>({step}); }

void LiveDebug::pause() {
  if (engine_) engine_->client().call<dap::Pause>({});
}

QString LiveDebug::pastOf() const { return age_->pastOf(); }

bool LiveDebug::knowsStage(int stage) const { return age_->knowsStage(stage); }

void LiveDebug::selectStage(int stage) {
  if (stage == config_.stage || state_ == RunState::Off || !document_->canRunPasses()) return;
  // The engine has the stages of the pipeline that it was started with.
  if (!knowsStage(stage)) return;
  config_.stage = stage;
  askStage();
}

void LiveDebug::forgetStage() {
  then_.clear();
  releaseRows();  // registers too are named by the bindings of the stage
}

/// Of a large function each of them has as many rows as that has bindings.
void LiveDebug::releaseRows() {
  releaseOnWorker(*QThreadPool::globalInstance(),
                  std::tuple(std::exchange(program_, {}), std::exchange(values_, {}), std::exchange(registers_, {}),
                             std::exchange(registerNames_, {})));
}

void LiveDebug::askStage() {
  if (!engine_ || state_ == RunState::Running || state_ == RunState::Starting) return;
  forgetStage();
  dap::StageArguments arguments;
  arguments.stage = config_.stage;
  ask<dap::SelectStage>(arguments, [this](const dap::Position& position) {
    takePosition(position);
    if (state_ != RunState::Died) setState(atEnd(position) ? RunState::Ended : RunState::Stopped);
    askAll();
  });
}

void LiveDebug::runTo(const QString& function, int binding) {
  dap::BindingBreakpoint place;
  place.stage = engineStage();
  place.function = function.toStdString();
  place.binding = numberThen(function, binding);
  move<dap::RunTo>(place);
}

void LiveDebug::setState(RunState state) {
  state_ = state;
  watchRun();
  Q_EMIT stateChanged();
}

void LiveDebug::note(LogLine::Kind kind, const QString& text) {
  if (text.isEmpty()) return;
  for (const QString& line : text.split('\n')) {
    log_.push_back({kind, line, QDateTime::currentDateTime()});
    logFile_.add(logText(log_.back()));
  }
  if (log_.size() > kMostLog + kLogOver) log_.erase(log_.begin(), log_.end() - static_cast<std::ptrdiff_t>(kMostLog));
  Q_EMIT logChanged();
}

}  // namespace rx::views
