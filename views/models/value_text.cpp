#include "views/models/value_text.h"

#include <QStringList>

#include "views/models/numbers.h"

namespace rx::views {

QString badText(const ValueSummary& value) {
  QStringList parts;
  if (value.nan > 0) parts += grouped(value.nan) + QStringLiteral(" NaN");
  if (value.inf > 0) parts += grouped(value.inf) + QStringLiteral(" Inf");
  return parts.join(QStringLiteral(", "));
}

}  // namespace rx::views
