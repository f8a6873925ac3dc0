// Numbers of a tensor as text: short, scientific, or as their bits.
#pragma once

#include <QByteArray>
#include <QString>
#include <span>

namespace rx::views {

enum class NumberFormat : uint8_t { Decimal, Scientific, Hex, Bits };

/// Words for menus and scripts, by NumberFormat: "decimal", "scientific", "hex", "bits".
std::span<const char* const> numberFormatNames();
/// A number, or for hex and bits its bytes as they lie in memory; where there are none, the number in decimal.
QString numberText(double value, const QByteArray& littleEndian, NumberFormat format);
/// A number for a Python text of an array: "0.1905", "np.nan", "-np.inf".
QString pythonNumber(double value);
/// NumPy's name of a data type: "np.float16"; "ml_dtypes.bfloat16" of those that NumPy does not have.
QString numpyDtype(const QString& dtype);

}  // namespace rx::views
