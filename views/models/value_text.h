// Values in words, as every view writes them.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

/// What is not finite in a value: "3 NaN, 15 Inf"; empty when all of it is finite.
QString badText(const ValueSummary& value);
/// An index as it is written in texts: "[0, 3, 1]".
QString indexText(const std::vector<qint64>& index);
/// The sizes of a shape in brackets: "(4, 6)", "(4,)".
QString shapeText(const QStringList& sizes);

}  // namespace rx::views
