#include "views/models/missing_functions.h"

#include <QRegularExpression>

#include "views/models/run_outcome.h"

namespace rx::views {

QStringList missingFunctions(const RunFailure& failure) {
  static const QRegularExpression kSentence(QStringLiteral("^there is no function \"([^\"]+)\""));
  QStringList names;
  if (failure.rule != QLatin1String("vm.missing-function")) return names;
  for (const QString& message : QStringList{failure.message} + failure.more) {
    const QRegularExpressionMatch match = kSentence.match(message);
    if (match.hasMatch() && !names.contains(match.captured(1))) names << match.captured(1);
  }
  return names;
}

}  // namespace rx::views
