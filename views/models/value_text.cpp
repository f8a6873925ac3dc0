#include "views/models/value_text.h"

#include "views/models/numbers.h"

namespace rx::views {

QString badText(const ValueSummary& value) {
  QStringList parts;
  if (value.nan > 0) parts += grouped(value.nan) + QStringLiteral(" NaN");
  if (value.inf > 0) parts += grouped(value.inf) + QStringLiteral(" Inf");
  return parts.join(QStringLiteral(", "));
}

QString indexText(const std::vector<qint64>& index) {
  QStringList parts;
  for (const qint64 i : index) parts += QString::number(i);
  return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

QString shapeText(const QStringList& sizes) {
  return '(' + sizes.join(QStringLiteral(", ")) + (sizes.size() == 1 ? QStringLiteral(",)") : QStringLiteral(")"));
}

}  // namespace rx::views
