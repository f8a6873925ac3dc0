// The marks of operator kinds: a square, triangles, a disc, a diamond and a dash, the same in text, lists and canvases.
#pragma once

#include <QRectF>

#include "views/theme/palette.h"

class QPainter;

namespace rx {

/// Draws the mark of `kind` in its line colour, filled, in the largest square in the middle of `box`.
void drawKindMark(QPainter& painter, OpKind kind, const Palette& palette, const QRectF& box);
/// The same in a colour of the caller's choice, for marks on coloured grounds.
void drawKindMark(QPainter& painter, KindMark mark, const QColor& color, const QRectF& box);

}  // namespace rx
