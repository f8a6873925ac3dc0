#include "views/shell/opening_news.h"

#include <algorithm>

#include "views/models/numbers.h"
#include "views/shell/command.h"

namespace rx::views {
namespace {

QString counted(qint64 count, const char* one, const char* several) {
  return QStringLiteral("%1 %2").arg(grouped(count), QString::fromLatin1(count == 1 ? one : several));
}

/// "1 Relax function with 7 bindings, 3 kernels"
QString contentsOf(const StageIndex& stage) {
  qint64 functions = 0, bindings = 0, kernels = 0;
  QString language;
  for (const FunctionRow& function : stage.functions) {
    kernels += function.kind == FunctionKind::Prim;
    if (!function.binds()) continue;
    ++functions;
    bindings += static_cast<qint64>(function.bindings.size());
    language = function.language;
  }
  QStringList parts;
  if (functions > 0)
    parts << QStringLiteral("%1 %2").arg(grouped(functions), language) +
                 (functions == 1 ? QObject::tr(" function") : QObject::tr(" functions")) +
                 QObject::tr(" with %1").arg(counted(bindings, "binding", "bindings"));
  if (kernels > 0) parts << counted(kernels, "kernel", "kernels");
  return parts.isEmpty() ? QObject::tr("no functions") : parts.join(QStringLiteral(", "));
}

}  // namespace

ToastContent openingNews(const Desk& desk, const StageIndex& stage, qint64 milliseconds) {
  const Document& document = desk.document;
  ToastContent news;
  const auto stages = static_cast<qint64>(document.steps().size());
  const bool folder = !document.canRunPasses();
  news.text = QObject::tr("Opened in %1: %2%3.")
                  .arg(durationText(static_cast<double>(milliseconds)),
                       folder ? counted(stages, "stage, ", "stages, ") : QString(), contentsOf(stage));
  const auto isBad = [](Severity severity) {
    return [severity](const ProblemRow& problem) { return problem.severity == severity; };
  };
  const auto errors = std::ranges::count_if(document.problems(), isBad(Severity::Error));
  const auto warnings = std::ranges::count_if(document.problems(), isBad(Severity::Warning));
  QStringList found;
  if (errors > 0) found << counted(errors, "error", "errors");
  if (warnings > 0) found << counted(warnings, "warning", "warnings");
  if (!found.isEmpty()) {
    news.tone = ToastTone::Warning;
    news.text += QObject::tr(" %1, in Problems.").arg(found.join(QStringLiteral(", ")));
  }
  QStringList ways{"debug.start"};
  if (!folder) ways << "pass.last";
  for (const QString& id : ways)
    if (const Command* row = findCommand(id); row && row->enabled(desk)) news.commands << id;
  return news;
}

ToastContent pastRunNews(const Desk& desk) {
  const QString past = desk.debug.pastOf();
  if (past.isEmpty() || desk.debug.state() != RunState::Stopped) return {};
  return {
      QObject::tr("The run that is stopped is of %1: Continue goes on with that, Restart runs what is open.").arg(past),
      ToastTone::Info,
      {},
      {"debug.restart"}};
}

OpeningNews::OpeningNews(Desk& desk, QObject* parent) : QObject(parent), desk_(desk) {
  connect(&desk.document, &Document::stateChanged, this, [this] {
    if (desk_.document.state() == Document::State::Opening) since_.start();
  });
  // Behind the panels, which show the stage by then.
  connect(&desk.document, &Document::stageReady, this, &OpeningNews::tell, Qt::QueuedConnection);
  connect(&desk.document, &Document::openFailed, this, [this] { expected_ = false; });
}

void OpeningNews::tell(int stage) {
  if (!expected_ || !since_.isValid() || stage != desk_.selection.place().stage) return;
  const StageIndexPtr index = desk_.document.stage(stage, false);
  if (!index || desk_.document.state() != Document::State::Ready) return;
  expected_ = false;
  ToastContent news = openingNews(desk_, *index, since_.elapsed());
  // Whoever begins with a file is offered the tour once.
  if (!desk_.settings.value("tourSeen", false).toBool()) {
    desk_.settings.setValue("tourSeen", true);
    news.commands << QStringLiteral("help.tour");
  }
  Q_EMIT said(news);
}

}  // namespace rx::views
