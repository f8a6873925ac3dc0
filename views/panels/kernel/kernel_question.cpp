#include "views/panels/kernel/kernel_question.h"

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/selection.h"

namespace rx::views {

QStringList targetWords(const PanelContext& context) {
  const QString run = context.debug->config().target;
  const QString target = run.isEmpty() ? context.document->target() : run;
  return target.isEmpty() ? QStringList() : QStringList{QStringLiteral("--target"), target};
}

QStringList questionOf(const PanelContext& context, const QString& kernel, bool samples) {
  QStringList words = context.document->programArguments(context.selection->place().stage);
  if (!words.contains(QLatin1String("--passes")))
    words << "--passes"
          << "default";
  words += targetWords(context);
  if (samples) words << "--samples" << QString::number(kSampleMilliseconds) << "--confine";
  return words << "--function" << kernel << "--json";
}

}  // namespace rx::views
