// The part of LiveDebug that answers about values: what is known of them, slices of tensors, and their files.
#include <QFile>
#include <QPointer>
#include <QThreadPool>

#include "core/support/file.h"
#include "views/models/problem_list.h"
#include "views/models/run_tool.h"
#include "views/models/worker.h"
#include "views/session/array_study.h"
#include "views/session/live_debug_ask.h"
#include "views/session/live_debug_traced.h"
#include "views/session/tensor_rows.h"

namespace rx::views {

namespace {

/// Why a file that the engine wrote can not be put where the user wants it; empty where it is there.
QString moveInto(const QString& aside, const QString& path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(aside.toStdString());
  Result<Unit> written = file ? writeFile(path.toStdString(), (*file)->bytes()) : Result<Unit>(file.failure());
  QFile::remove(aside);
  return written ? QString() : textOf(written.diagnostics());
}

}  // namespace

ValueSummary LiveDebug::valueOf(const QString& function, int binding) const {
  return values_.ofBinding(function, binding);
}

ValueState LiveDebug::valueState(const QString& function, int binding) const {
  return values_.stateOf(function, binding);
}

ValueSummary LiveDebug::valueOfParam(const QString& function, const QString& name) const {
  return values_.ofParam(function, name);
}

std::vector<std::pair<QString, qint64>> LiveDebug::symbols(const QString& function) const {
  return values_.symbols(function);
}

ValueSummary LiveDebug::valueAt(const QString& function, int binding, int step) const {
  return values_.ofBinding(function, binding, step);
}

void LiveDebug::fetchSlice(const ElementSource& source, std::vector<qint64> begin, std::vector<qint64> extent,
                           QObject* context, std::function<void(const TensorSlice&)> answer) {
  if (source.reference < 0) {
    const auto study = [begin = std::move(begin), extent = std::move(extent)](const ArrayPair& arrays) {
      return sliceOf(arrays, begin, extent);
    };
    return askTraced(source, context, study, std::move(answer));
  }
  auto arguments = argumentsFor<dap::SliceArguments>(source);
  arguments.begin.assign(begin.begin(), begin.end());
  arguments.extent.assign(extent.begin(), extent.end());
  askFor<dap::Slice>(
      context, arguments,
      [answer = std::move(answer)](const QString& error, const dap::SliceBody& body) { answer(rowOf(body, error)); });
}

void LiveDebug::fetchSurvey(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                            std::function<void(const TensorSurvey&)> answer) {
  if (source.reference < 0) return askTraced(source, context, surveyOf, std::move(answer));
  auto arguments = argumentsFor<dap::StatisticsArguments>(source);
  arguments.fractions.assign(kQuantiles.begin(), kQuantiles.end());
  askFor<dap::Statistics>(
      context, arguments,
      [answer = std::move(answer), shape = std::move(shape)](const QString& error, const dap::StatisticsBody& body) {
        answer(rowOf(body, shape, error));
      });
}

void LiveDebug::fetchPlane(const ElementSource& source, const PlaneQuery& query, QObject* context,
                           std::function<void(const TensorPlane&)> answer) {
  if (source.reference < 0) {
    const auto study = [query](const ArrayPair& arrays) { return planeOf(arrays, query); };
    return askTraced(source, context, study, std::move(answer));
  }
  auto arguments = argumentsFor<dap::PlaneArguments>(source);
  arguments.rowAxis = query.rowAxis;
  arguments.columnAxis = query.columnAxis;
  arguments.at.assign(query.at.begin(), query.at.end());
  arguments.rows = query.rows;
  arguments.columns = query.columns;
  askFor<dap::PlaneRequest>(
      context, arguments,
      [answer = std::move(answer)](const QString& error, const dap::PlaneBody& body) { answer(rowOf(body, error)); });
}

void LiveDebug::findElement(const ElementSource& source, const ElementQuery& query, std::vector<qint64> shape,
                            QObject* context, std::function<void(const ElementFound&)> answer) {
  if (source.reference < 0) {
    const auto study = [query](const ArrayPair& arrays) { return findIn(arrays, query); };
    return askTraced(source, context, study, std::move(answer));
  }
  auto arguments = argumentsFor<dap::FindElementArguments>(source);
  arguments.forward = query.forward;
  arguments.looked = query.looked;
  if (!query.from.empty()) arguments.from = ravel(query.from, shape);
  if (!query.nonFinite) {
    arguments.low = query.low;
    arguments.high = query.high;
  }
  askFor<dap::FindElement>(
      context, arguments,
      [answer = std::move(answer), shape = std::move(shape)](const QString& error, const dap::FindElementBody& body) {
        answer({error, unravel(body.index, shape), body.index >= 0, body.looked, body.count});
      });
}

void LiveDebug::fetchComparison(const ElementSource& source, std::vector<qint64> shape, QObject* context,
                                std::function<void(const TensorComparison&)> answer) {
  if (source.reference < 0) return askTraced(source, context, comparisonOf, std::move(answer));
  dap::CompareArguments arguments;
  arguments.reference = source.reference;
  if (const auto against = againstOf(source)) arguments.against = *against;
  askFor<dap::CompareRequest>(
      context, arguments,
      [answer = std::move(answer), shape = std::move(shape)](const QString& error, const dap::CompareBody& body) {
        answer(rowOf(body, shape, error));
      });
}

void LiveDebug::fetchArrays(const QString& path, QObject* context,
                            std::function<void(const QString&, const std::vector<ArrayRow>&)> answer) {
  if (!engine_ && traced_.row()) return answer({}, arraysIn(path));
  askFor<dap::Arrays>(
      context, {path.toStdString()}, [answer = std::move(answer)](const QString& error, const dap::ArraysBody& body) {
        std::vector<ArrayRow> rows;
        for (const dap::ArrayInfo& info : body.arrays)
          rows.push_back({qtText(info.name), qtText(info.dtype), {info.shape.begin(), info.shape.end()}});
        answer(error, rows);
      });
}

void LiveDebug::saveValue(int reference, const QString& path, QObject* context,
                          std::function<void(const QString&)> answer) {
  if (reference < 0) return answer(saveTraced(traced_, reference, path));
  if (!engine_) return answer(tr("The engine does not run."));
  const QPointer<QObject> alive(context);
  dap::SaveValueArguments arguments;
  arguments.reference = reference;
  // The engine writes nowhere else: from there it is copied to where the user wants it.
  const QString aside = traces_.filePath(QStringLiteral("saved_%1.npy").arg(++saves_));
  arguments.path = aside.toStdString();
  ++asked_;
  auto done = [this, alive, engine = engines_, answer = std::move(answer)](const QString& error) {
    if (engine == engines_ && asked_ > 0) --asked_;
    if (alive) answer(error);
  };
  engine_->client().call<dap::SaveValue>(
      arguments, [this, aside, path, done = std::move(done)](Result<dap::Nothing> body) {
        if (!body) return done(textOf(body.diagnostics()));
        runOnWorker(
            *QThreadPool::globalInstance(), this, [aside, path] { return moveInto(aside, path); }, done);
      });
}

bool LiveDebug::canSetValues() const { return engine_ && state_ == RunState::Stopped && !replays_ && !recording_; }

/// What the run did behind that state is forgotten: it goes on from there another way.
void LiveDebug::changePast(const ValueSummary& value, const QString& part, const QString& text,
                           std::function<void(const QString&)> answer) {
  dap::ChangePastArguments arguments;
  if (value.reference > 0) arguments.variablesReference = value.reference;
  arguments.name = ((value.reference > 0 ? QString() : value.variable) + part).toStdString();
  arguments.value = text.toStdString();
  setState(RunState::Running);
  engine_->client().call<dap::ChangePast>(
      arguments, [this, engine = engines_, answer = std::move(answer)](Result<dap::Nothing> body) {
        if (engine != engines_) return;
        if (!body) {
          setState(RunState::Stopped);
          return answer(textOf(body.diagnostics()));
        }
        forgetRun();
        document_->setProblems(kOfRun, {});
        Q_EMIT outcomeChanged();
        Q_EMIT traceChanged();
        answer({});
      });
}

void LiveDebug::setValue(const ValueSummary& value, const QString& part, const QString& text, QObject* context,
                         std::function<void(const QString&)> answer) {
  if (!canSetValues()) return answer(tr("Values can be changed where a program stands, or stood at a step before."));
  const QPointer<QObject> alive(context);
  if (stop_.past)
    return changePast(value, part, text, [alive, answer = std::move(answer)](const QString& problem) {
      if (alive) answer(problem);
    });
  const auto done = [this, alive, engine = engines_, answer = std::move(answer)](Result<dap::AssignedBody> body) {
    if (engine == engines_ && body) {
      values_ = {};
      registers_ = {};
      askAll();
    }
    if (alive) answer(body ? QString() : textOf(body.diagnostics()));
    if (engine == engines_) answered();
  };
  ++asked_;
  if (value.reference > 0) {
    engine_->client().call<dap::SetVariable>({value.reference, part.toStdString(), text.toStdString()}, done);
  } else {
    engine_->client().call<dap::SetExpression>({(value.variable + part).toStdString(), text.toStdString(), {}}, done);
  }
}

QString LiveDebug::commandLine() const {
  if (config_.function.isEmpty()) return {};
  QStringList words = QStringList{"rxs", "run"} + toolArguments(*document_, config_);
  for (QString& word : words) word = shellWord(word);
  return words.join(' ');
}

}  // namespace rx::views
