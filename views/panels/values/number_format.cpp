#include "views/panels/values/number_format.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/models/numbers.h"

namespace rx::views {
namespace {

constexpr std::array kNames = {"decimal", "scientific", "hex", "bits"};

/// The bytes with the highest first.
QByteArray bigEndian(QByteArray bytes) {
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

QString bitsText(const QByteArray& bytes) {
  QString text;
  for (const char byte : bytes) {
    if (!text.isEmpty()) text += QLatin1Char(' ');
    text += QStringLiteral("%1").arg(static_cast<uchar>(byte), 8, 2, QLatin1Char('0'));
  }
  return text;
}

}  // namespace

std::span<const char* const> numberFormatNames() { return kNames; }

QString numberText(double value, const QByteArray& littleEndian, NumberFormat format) {
  if (format == NumberFormat::Hex && !littleEndian.isEmpty())
    return QStringLiteral("0x") + QString::fromLatin1(bigEndian(littleEndian).toHex());
  if (format == NumberFormat::Bits && !littleEndian.isEmpty()) return bitsText(bigEndian(littleEndian));
  if (format == NumberFormat::Scientific && std::isfinite(value)) return QString::number(value, 'e', 4);
  return shortNumber(value);
}

QString pythonNumber(double value) {
  if (std::isnan(value)) return QStringLiteral("np.nan");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("np.inf") : QStringLiteral("-np.inf");
  return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString numpyDtype(const QString& dtype) {
  const bool foreign = dtype.startsWith(QLatin1String("bfloat")) || dtype.startsWith(QLatin1String("float8")) ||
                       dtype.startsWith(QLatin1String("float6_")) || dtype.startsWith(QLatin1String("float4")) ||
                       dtype == QLatin1String("int4") || dtype == QLatin1String("uint4");
  return (foreign ? QStringLiteral("ml_dtypes.") : QStringLiteral("np.")) +
         (dtype == QLatin1String("bool") ? QStringLiteral("bool_") : dtype);
}

}  // namespace rx::views
