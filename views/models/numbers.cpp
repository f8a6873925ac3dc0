#include "views/models/numbers.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/support/memory_limit.h"

namespace rx::views {

QString shortDtype(const QString& dtype) {
  static const std::pair<const char*, const char*> kPrefixes[] = {
      {"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}};
  for (const auto& [prefix, shortPrefix] : kPrefixes)
    if (dtype.startsWith(QLatin1String(prefix)) && dtype.size() > static_cast<qsizetype>(qstrlen(prefix)) &&
        dtype[static_cast<qsizetype>(qstrlen(prefix))].isDigit())
      return QLatin1String(shortPrefix) + dtype.mid(static_cast<qsizetype>(qstrlen(prefix)));
  return dtype;
}

QString grouped(qint64 value) { return QLocale(QLocale::English, QLocale::UnitedStates).toString(value); }

QString shortNumber(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+Inf") : QStringLiteral("-Inf");
  constexpr int kGrouped = 6;  // digits of the longest number that is written out where few digits are wanted
  constexpr double kLong = 1e9, kMillion = 1e6;
  const double size = std::fabs(value);
  const bool out = size < (digits < kGrouped ? kMillion : kLong);
  if (out && value == std::floor(value)) return grouped(static_cast<qint64>(value));
  // Of two numbers beside each other one would be written out and the other one as a power.
  if (out && size >= std::pow(10, digits)) return grouped(qRound64(value));
  return QString::number(value, 'g', size >= 1e-4 && size < 1e6 ? digits : std::min(digits, 5));
}

QString bytesText(qint64 bytes) {
  return bytes < 0 ? QStringLiteral("%1 B").arg(bytes)
                   : QString::fromStdString(memoryText(static_cast<uint64_t>(bytes)));
}

QString durationText(double milliseconds) {
  if (milliseconds < 0.001) return QStringLiteral("%1 ns").arg(qRound(milliseconds * 1e6));
  if (milliseconds < 0.01) return QStringLiteral("%1 µs").arg(milliseconds * 1000, 0, 'g', 2);
  if (milliseconds < 1) return QStringLiteral("%1 µs").arg(qRound(milliseconds * 1000));
  if (milliseconds < 1000) return QStringLiteral("%1 ms").arg(milliseconds, 0, 'g', milliseconds < 100 ? 3 : 4);
  return QStringLiteral("%1 s").arg(milliseconds / 1000, 0, 'g', 3);
}

}  // namespace rx::views
