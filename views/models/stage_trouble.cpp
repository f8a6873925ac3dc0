#include "views/models/stage_trouble.h"

#include <QObject>

#include "views/models/document.h"

namespace rx::views {

QString stageTrouble(const Document& document, int stage) {
  const auto& steps = document.steps();
  if (stage < 0 || stage >= static_cast<int>(steps.size())) return {};
  const StepRow& step = steps[static_cast<size_t>(stage)];
  if (step.state != StepState::Failed) return {};
  const QString what = QStringLiteral("%1 %2").arg(
      step.name, document.canRunPasses() ? QObject::tr("failed") : QObject::tr("can not be read"));
  if (step.verdictReason.isEmpty()) return QObject::tr("%1; the Problems panel says why.").arg(what);
  return QObject::tr("%1: %2. The Problems panel has all that was found.").arg(what, step.verdictReason);
}

}  // namespace rx::views
