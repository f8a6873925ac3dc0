#include "views/models/value_text.h"

#include "views/models/numbers.h"

namespace rx::views {

QString badText(const ValueSummary& value) {
  QStringList parts;
  if (value.nan > 0) parts += grouped(value.nan) + QStringLiteral(" NaN");
  if (value.inf > 0) parts += grouped(value.inf) + QStringLiteral(" Inf");
  return parts.join(QStringLiteral(", "));
}

QString unwrittenText() { return QStringLiteral("not written yet"); }

QString valueInShort(const ValueSummary& value, int digits) {
  if (!value.isTensor) return value.text;
  QString text = value.shape + ' ' + shortDtype(value.dtype);
  if (value.unwritten) return text + QStringLiteral("  ") + unwrittenText();
  if (value.nan > 0) text += QStringLiteral("  %1 NaN").arg(grouped(value.nan));
  if (value.inf > 0) text += QStringLiteral("  %1 Inf").arg(grouped(value.inf));
  if (value.bad() || value.finite <= 0) return text;
  text += QStringLiteral("  ") + shortNumber(value.min, digits);
  return value.count == 1 ? text : text + QStringLiteral(" … ") + shortNumber(value.max, digits);
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
