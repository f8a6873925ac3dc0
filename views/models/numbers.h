// Numbers as the views write them: thousands grouped, units, few significant digits.
#pragma once

#include <QString>

namespace rx::views {

/// 65504 -> "65,504"
/// Short form of a data type: "float16" is f16.
QString shortDtype(const QString& dtype);
QString grouped(qint64 value);
/// Significant digits, "NaN", "+Inf", "-Inf"; longer numbers are whole below a billion, of under six digits a million.
QString shortNumber(double value, int digits = 6);
/// 71234 -> "71.2 kB" (powers of ten)
QString bytesText(qint64 bytes);
/// 0.0412 ms -> "41 µs"
QString durationText(double milliseconds);

}  // namespace rx::views
