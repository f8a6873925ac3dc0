// Values in words, as every view writes them.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

/// What is not finite in a value: "3 NaN, 15 Inf"; empty when all of it is finite.
QString badText(const ValueSummary& value);
/// Of a tensor that only has its memory so far: "not written yet".
QString unwrittenText();
/// In one line: "(3, 4) f32  -1 … 2", with what is not finite in place of the range, of one element
/// the number; no tensor as its text.
QString valueInShort(const ValueSummary& value, int digits = 6);
/// An index as it is written in texts: "[0, 3, 1]".
QString indexText(const std::vector<qint64>& index);
/// The sizes of a shape in brackets: "(4, 6)", "(4,)".
QString shapeText(const QStringList& sizes);

}  // namespace rx::views
