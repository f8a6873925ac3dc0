// The part of LiveDebug that answers about values: what is known of them, slices of tensors, and their files.
#include <QPointer>

#include "views/session/engine_rows.h"
#include "views/session/live_debug.h"

namespace rx::views {

ValueSummary LiveDebug::valueOf(const QString& function, int binding) const {
  return values_.ofBinding(function, binding);
}

ValueSummary LiveDebug::valueOfParam(const QString& function, const QString& name) const {
  return values_.ofParam(function, name);
}

std::vector<std::pair<QString, qint64>> LiveDebug::symbols(const QString& function) const {
  return values_.symbols(function);
}

void LiveDebug::fetchSlice(int reference, std::vector<qint64> begin, std::vector<qint64> extent, QObject* context,
                           std::function<void(const TensorSlice&)> answer) {
  const QPointer<QObject> alive(context);
  if (!engine_) {
    TensorSlice none;
    none.error = tr("The engine does not run.");
    QMetaObject::invokeMethod(context, [answer = std::move(answer), none] { answer(none); }, Qt::QueuedConnection);
    return;
  }
  dap::SliceArguments arguments;
  arguments.reference = reference;
  arguments.begin.assign(begin.begin(), begin.end());
  arguments.extent.assign(extent.begin(), extent.end());
  engine_->client().call<dap::Slice>(arguments, [alive, answer = std::move(answer)](Result<dap::SliceBody> body) {
    if (!alive) return;
    TensorSlice slice;
    if (!body) {
      slice.error = textOf(body.diagnostics());
      return answer(slice);
    }
    slice.shape.assign(body->value.shape.begin(), body->value.shape.end());
    slice.begin.assign(body->begin.begin(), body->begin.end());
    slice.extent.assign(body->extent.begin(), body->extent.end());
    for (const dap::Json& value : body->values) slice.values.push_back(dap::numberFrom(value));
    slice.dtype = qtText(body->value.dtype);
    answer(slice);
  });
}

void LiveDebug::saveValue(int reference, const QString& path, QObject* context,
                          std::function<void(const QString&)> answer) {
  if (!engine_) return answer(tr("The engine does not run."));
  const QPointer<QObject> alive(context);
  dap::SaveValueArguments arguments;
  arguments.reference = reference;
  arguments.path = path.toStdString();
  ++asked_;
  engine_->client().call<dap::SaveValue>(
      arguments, [this, alive, engine = engines_, answer = std::move(answer)](Result<dap::Nothing> body) {
        if (engine == engines_ && asked_ > 0) --asked_;
        if (alive) answer(body ? QString() : textOf(body.diagnostics()));
      });
}

QString LiveDebug::commandLine() const {
  if (config_.function.isEmpty()) return {};
  QStringList words = {"rxs", "run"};
  words << document_->programArguments() << "--func" << config_.function;
  if (!config_.paramsFile.isEmpty()) words << "--params" << config_.paramsFile;
  if (config_.inputsFile.isEmpty()) {
    words << "--seed" << QString::number(config_.seed);
  } else {
    words << "--inputs" << config_.inputsFile;
  }
  if (!config_.symbolValues.isEmpty()) words << "--symbol" << config_.symbolValues;
  for (QString& word : words) word = shellWord(word);
  return words.join(' ');
}

}  // namespace rx::views
