// Sums of sizes that depend on symbols, as a text that people read: "264 n + 16 n² B".
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace rx::views {

/// The sum of sizes in bytes, each as BindingRow::bytes says it ("8 * (n * n) B") or a number alone: like terms
/// together, the lowest degree first. What is no polynomial of symbols stands in it as it is. None where a text is
/// empty or has another unit, or the sum has more terms than one reads.
std::optional<QString> bytesSum(const QStringList& sizes);

}  // namespace rx::views
