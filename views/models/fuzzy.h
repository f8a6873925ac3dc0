// Ranks a text against what was typed: letters in order, better at word starts and in a row.
#pragma once

#include <QString>

namespace rx::views {

/// Higher is better; -1 when the letters of `typed` are not in `text` in this order. An empty `typed` fits everything.
int fuzzyScore(const QString& typed, const QString& text);

}  // namespace rx::views
