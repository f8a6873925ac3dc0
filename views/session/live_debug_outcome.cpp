// The part of LiveDebug that says how a run goes and came out: where it is while it runs, why it failed, what it
// returned.
#include <QThreadPool>

#include "views/models/numbers.h"
#include "views/models/problem_list.h"
#include "views/models/worker.h"
#include "views/session/failure_rows.h"
#include "views/session/live_debug_ask.h"
#include "views/session/result_compare.h"

namespace rx::views {
namespace {

constexpr int64_t kPart = 200;                 // rows of one answer
constexpr qint64 kMostCompared = 256'000'000;  // bytes of a value that is still written out to be compared
constexpr int kTick = 250;                     // milliseconds between two words about a run

/// Narrows a finding at the head of a function to the parameter that it speaks of.
void markParameter(ProblemRow* row, const StageIndex& index, const FunctionRow& function, const QString& name) {
  if (row->line != function.headLine || !row->file.isEmpty()) return;
  for (const ParamRow& param : function.params) {
    if (param.name != name || index.lineOf(param.nameRange.begin) != row->line) continue;
    const int start = index.lineStarts[static_cast<size_t>(row->line) - 1];
    const auto column = [&](int offset) {
      return 1 + static_cast<int>(QString::fromUtf8(index.text.mid(start, offset - start)).size());
    };
    row->column = column(param.nameRange.begin);
    row->endColumn = column(param.nameRange.end);
  }
}

}  // namespace

void LiveDebug::refused(const std::vector<Diagnostic>& diagnostics) {
  // What was looked at before the refusal says which parameter, and why.
  engine_->client().call<dap::ArgumentsRequest>(
      {}, [this, diagnostics, engine = engines_](Result<dap::ArgumentsBody> body) {
        if (engine != engines_) return;
        RunFailure failure = failureOf(RunFailure::When::Start, diagnostics);
        if (body) addChecks(&failure, body->parameters, config_);
        fail(diagnostics, std::move(failure));
      });
}

void LiveDebug::fail(const std::vector<Diagnostic>& diagnostics) {
  fail(diagnostics, failureOf(RunFailure::When::Start, diagnostics));
}

void LiveDebug::fail(const std::vector<Diagnostic>& diagnostics, RunFailure failure) {
  if (state_ == RunState::Died) return;
  const QString text = textOf(diagnostics);
  note(LogLine::Kind::Error, text);
  stop_.description = text;
  death_ = text;
  failure.function = config_.function;
  const StageIndexPtr index = document_->stage(config_.stage, false);
  std::vector<ProblemRow> rows = problemRows(diagnostics, {}, kOfRun, config_.stage);
  if (!rows.empty()) {
    const ProblemPlace place = problemPlace(rows.front(), index.get());
    if (!place.function.isEmpty()) failure.function = place.function;
    failure.variable = place.variable;
    failure.line = place.line;
  }
  setFailure(std::move(failure), std::move(rows));
  dropEngine();
  setState(RunState::Off);
}

/// Keeps a failure and lists it: its first problem has the words of its card.
void LiveDebug::setFailure(RunFailure failure, std::vector<ProblemRow> rows) {
  failure.run = config_.function;
  failure.stage = config_.stage;
  const StageIndexPtr index = document_->stage(failure.stage, false);
  const FunctionRow* function = index ? index->function(failure.function) : nullptr;
  const BindingRow* binding = function ? function->bindingNamed(failure.variable) : nullptr;
  if (binding) failure.binding = binding->ordinal;
  if (failure.line < 1 && function) failure.line = function->headLine;
  if (rows.empty()) rows.push_back(runProblem(failure.rule, failure.message));
  if (const QString says = failureProblem(failure); !says.isEmpty()) rows.front().message = says;
  if (rows.front().fix.isEmpty()) rows.front().fix = failure.fix;
  if (rows.front().line < 1 && rows.front().file.isEmpty()) rows.front().line = failure.line;
  // The others stand at the bindings that they are about; what is about the whole function has no line to mark.
  for (ProblemRow& row : rows)
    if (row.line < 1 && row.file.isEmpty() && index)
      if (const ProblemPlace place = problemPlace(row, index.get()); place.binding >= 0) row.line = place.line;
  if (function && index) markParameter(&rows.front(), *index, *function, failure.parameter);
  failure_ = std::move(failure);
  document_->setProblems(kOfRun, rows);
  Q_EMIT outcomeChanged();
}

/// An error that the program ended in: the parts of it that came with the stop.
void LiveDebug::takeFailure(const dap::Json& body) {
  dap::Response response;
  response.body = body;
  RunFailure failure = failureOf(RunFailure::When::Middle, dap::diagnosticsOf(response));
  if (const auto at = body.find("misfit"); at != body.end()) {
    if (const Result<dap::MisfitInfo> misfit = dap::decode<dap::MisfitInfo>(*at, "misfit"))
      addMisfit(&failure, *misfit);
  }
  failure.step = stop_.step;
  failure_ = std::move(failure);
}

/// Where the program failed, and the values that did not fit, once they are known.
void LiveDebug::placeFailure() {
  if (!failure_ || failure_->when != RunFailure::When::Middle || !failure_->run.isEmpty()) return;
  RunFailure failure = *failure_;
  failure.function = stop_.function.isEmpty() ? config_.function : stop_.function;
  failure.variable = stop_.variable;
  failure.line = stop_.line;
  const auto addRow = [&](const QString& name) -> ParameterFit* {
    if (name.isEmpty()) return nullptr;
    ValueSummary value = valueOfParam(failure.function, name);
    const StageIndexPtr index = document_->stage(config_.stage, false);
    const FunctionRow* function = index ? index->function(failure.function) : nullptr;
    const BindingRow* binding = function ? function->bindingNamed(name) : nullptr;
    if (!value.known && binding) value = valueOf(failure.function, binding->ordinal);
    if (!value.known || !value.isTensor) return nullptr;
    ParameterFit fit;
    fit.name = name;
    fit.given = givenText(value.shape, value.dtype, value.bytes);
    failure.parameters.push_back(fit);
    return &failure.parameters.back();
  };
  if (ParameterFit* binds = addRow(failure.boundBy.section(QStringLiteral(", axis "), 0, 0))) {
    const int axis = failure.boundBy.section(QStringLiteral(", axis "), 1).toInt();
    binds->axes.resize(static_cast<size_t>(axis) + 1);
    binds->axes.back() = {
        AxisFit::Verdict::Binds, failure.symbol, failure.wanted.toLongLong(), failure.wanted.toLongLong(), {}};
  }
  if (ParameterFit* refusedOne = addRow(failure.parameter)) {
    refusedOne->verdict = failure.axis >= 0 ? ParameterFit::Verdict::Axis : ParameterFit::Verdict::Type;
    refusedOne->axes.resize(static_cast<size_t>(std::max(failure.axis, -1) + 1));
    if (failure.axis >= 0)
      refusedOne->axes.back() = {AxisFit::Verdict::Differs, failure.symbol, failure.wanted.toLongLong(),
                                 failure.given.toLongLong(), failure.boundBy};
  }
  setFailure(std::move(failure), {});
}

ProblemRow LiveDebug::runProblem(const QString& rule, const QString& message) const {
  ProblemRow row;
  row.message = message;
  row.rule = rule;
  row.source = kOfRun;
  row.stage = config_.stage;
  row.context = stop_.function + (stop_.variable.isEmpty() ? QString() : ", binding " + stop_.variable);
  row.line = stop_.line;
  return row;
}

/// After an exception the binding that the last step worked for is the one to look at; where the run ended in it, the
/// one that could not be computed.
void LiveDebug::placeException() {
  const bool failed = state_ == RunState::Ended && stop_.binding >= 0;
  if (stop_.reason != "exception" || failed || doneBinding_ < 0) return;
  stop_.function = doneFunction_;
  stop_.binding = doneBinding_;
  stop_.variable = doneVariable_;
  stop_.called = calledOf(stop_.function, stop_.binding, stop_.variable);
  stop_.line = lineOf(stop_.function, stop_.binding);
  if (!failure_ && !stop_.description.isEmpty())
    document_->setProblems(kOfRun, {runProblem("run.stopped", stop_.description)});
}

QString LiveDebug::deathPlace() const {
  if (diedIn_ == RunState::Starting) return tr(" while it started");
  if (diedIn_ == RunState::Ended) return tr(" after the end of the run");
  if (lastText_.isEmpty()) return tr(" before the first stop");
  QString place = diedIn_ == RunState::Running ? tr(" in or after instruction %1: %2")
                                               : tr(" while it stood at instruction %1: %2");
  place = place.arg(stop_.instruction).arg(lastText_);
  return stop_.variable.isEmpty() ? place : place + tr(", binding %1 of %2").arg(stop_.variable, stop_.function);
}

void LiveDebug::reportDeath() {
  death_ = diedHow_ + deathPlace() + '.';
  // An engine that refuses what it is started with says why, and there is no client yet that it could tell.
  if (diedIn_ == RunState::Starting && !said_.isEmpty()) death_ += ' ' + said_;
  RunFailure failure;
  failure.when = RunFailure::When::Death;
  failure.rule = "engine.gone";
  failure.message = death_;
  failure.fix = tr("Restart runs it again; the steps recorded so far can be looked at.");
  failure.function = stop_.function.isEmpty() ? config_.function : stop_.function;
  failure.variable = stop_.variable;
  failure.line = stop_.line;
  failure.step = stop_.step;
  const ProblemRow row = runProblem(failure.rule, tr("The engine is gone: %1").arg(death_));
  setFailure(std::move(failure), {row});
}

void LiveDebug::askResult() {
  if (replays_ || failure_ || result_) return;
  ask<dap::ResultRequest>({}, [this](const dap::ResultBody& body) { takeResult(body); });
}

void LiveDebug::takeResult(const dap::ResultBody& body) {
  RunResult result;
  result.function = config_.function;
  result.steps = recorded_;
  result.milliseconds = body.microseconds / 1000;
  result.optimised = config_.optimises();
  result.lost = qtText(body.lost);
  if (!result.lost.isEmpty()) {
    result_ = std::move(result);
    return Q_EMIT outcomeChanged();
  }
  const bool tuple = !body.items.empty();
  if (!tuple) result.values.push_back({tr("result"), summaryOf(body.value, {})});
  for (size_t i = 0; i < body.items.size(); ++i)
    result.values.push_back({tr("result[%1]").arg(i), summaryOf(body.items[i], {})});
  result_ = std::move(result);
  askNonFinite();
  if (attached()) return;  // it writes no files here
  comparing_ = true;
  saveForComparison();
}

/// Asks where NaN and Inf began until all steps were looked at.
void LiveDebug::askNonFinite() {
  ask<dap::NonFinite>({}, [this, run = runs_](const dap::NonFiniteBody& body) {
    if (run != runs_ || !result_) return;
    if (body.more) return askNonFinite();
    if (body.calls == 0 || !body.first) return;
    const TraceRow row = rowOf(*body.first);
    result_->bad = {row.variable.isEmpty() ? row.what : row.variable, row.step, body.calls};
    Q_EMIT outcomeChanged();
  });
}

/// Has the engine write the returned tensors, then compares them on a worker with the file beside the inputs.
void LiveDebug::saveForComparison() {
  const QString expected = expectedFor(config_);
  auto saved = std::make_shared<std::vector<SavedValue>>();
  auto left = std::make_shared<int>(0);
  const auto compare = [this, saved, expected] {
    runOnWorker(
        *QThreadPool::globalInstance(), this, [saved, expected] { return compareResult(*saved, expected); },
        [this, run = runs_](ComparedResult compared) {
          if (run != runs_ || !result_) return;
          result_->comparison = std::move(compared.comparison);
          result_->likely = std::move(compared.likely);
          result_->expectedLikely = std::move(compared.expectedLikely);
          comparing_ = false;
          Q_EMIT outcomeChanged();
          Q_EMIT stopChanged();  // now it is idle
        });
  };
  std::vector<dap::SaveValueArguments> wanted;
  for (const ResultValue& value : result_->values) {
    if (!value.value.isTensor || value.value.bytes > kMostCompared) continue;
    dap::SaveValueArguments arguments;
    arguments.reference = value.value.reference;
    const QString path = traces_.filePath(QStringLiteral("result_%1_%2.npy").arg(runs_).arg(wanted.size()));
    arguments.path = path.toStdString();
    wanted.push_back(arguments);
    saved->push_back({value.name, path});
  }
  *left = static_cast<int>(wanted.size());
  if (wanted.empty()) return compare();
  for (const dap::SaveValueArguments& arguments : wanted) {
    ++asked_;
    engine_->client().call<dap::SaveValue>(arguments,
                                           [this, left, compare, engine = engines_](Result<dap::Nothing> body) {
                                             if (engine != engines_) return;
                                             if (!body) note(LogLine::Kind::Error, textOf(body.diagnostics()));
                                             if (--*left == 0) compare();
                                             answered();
                                           });
  }
}

/// What the memory says of the run is known when all is answered.
void LiveDebug::completeResult() {
  if (!result_ || state_ != RunState::Ended) return;
  result_->peakBytes = peakBytes_;
}

RunProgress LiveDebug::progress() const {
  RunProgress at;
  at.steps = std::max<qint64>(pulse_.steps, stop_.step);
  at.milliseconds = running_.isValid() ? static_cast<double>(running_.elapsed()) : 0;
  at.silence = heard_.isValid() ? static_cast<double>(heard_.elapsed()) : 0;
  if (pulse_.instruction < 0 || pulse_.instruction >= static_cast<int64_t>(program_.size())) return at;
  const InstructionRow& row = program_[static_cast<size_t>(pulse_.instruction)];
  at.what = row.what;
  at.function = row.function;
  at.variable = row.variable;
  at.line = row.line;
  return at;
}

/// Starts or ends the clock of a run, which speaks some times a second: also of an engine that says nothing.
void LiveDebug::watchRun() {
  const bool runs = state_ == RunState::Starting || state_ == RunState::Running;
  if (runs == ticks_.isActive()) return;
  if (!runs) return ticks_.stop();
  pulse_ = {};
  running_.start();
  heard_.start();
  ticks_.start(kTick);
}

void LiveDebug::takeProgress(const dap::Json& body) {
  const Result<dap::ProgressInfo> info = dap::decode<dap::ProgressInfo>(body, dap::ProgressInfo::kEvent);
  if (!info || state_ != RunState::Running) return;
  pulse_ = *info;
  if (program_.empty() || (programLeft_ && pulse_.instruction >= static_cast<int64_t>(program_.size()))) growProgram();
  recorded_ = std::max(recorded_, static_cast<int>(pulse_.steps));
  Q_EMIT traceChanged();
  Q_EMIT progressChanged();
}

/// The program of a run that did not stop yet: its instructions name what runs.
void LiveDebug::growProgram() {
  dap::RangeArguments arguments;
  arguments.start = static_cast<int64_t>(program_.size());
  arguments.count = kPart;
  engine_->client().call<dap::ProgramRequest>(
      arguments, [this, from = program_.size(), engine = engines_](Result<dap::ProgramBody> body) {
        if (engine != engines_ || !body || from != program_.size()) return;
        addInstructions(*body);
        if (programLeft_ && state_ == RunState::Running) growProgram();
      });
}

}  // namespace rx::views
