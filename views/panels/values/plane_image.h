// Pictures of planes: heat maps with colours around zero, grey and coloured images, hatching for what is not finite.
#pragma once

#include <QImage>
#include <QRectF>

#include "views/models/debug_rows.h"
#include "views/theme/palette.h"

class QPainter;

namespace rx::views {

/// The numbers that the ends of the colours stand for. With numbers below zero the colours part at zero.
struct HeatScale {
  double low = 0;
  double high = 0;
  bool diverging() const { return low < 0; }
};
/// The scale of a whole tensor, so that planes of it can be compared.
HeatScale scaleOf(double low, double high);
QColor heatColor(double value, const HeatScale& scale, const Palette& palette);

/// One pixel a cell; what is not finite has the ground of errors.
QImage heatImage(const TensorPlane& plane, const HeatScale& scale, const Palette& palette);
/// The same as an image: black at the low end, white at the high one. With three planes they are red, green and blue.
QImage grayImage(const TensorPlane& plane, const HeatScale& scale, const Palette& palette);
QImage colorImage(const TensorPlane& red, const TensorPlane& green, const TensorPlane& blue, const HeatScale& scale,
                  const Palette& palette);

/// A box for what is not finite: hatched, solid where it is too small for lines.
void paintHatched(QPainter& painter, const QRectF& box, const Palette& palette);
/// Hatches the cells of a picture that are not finite, drawn into `box`.
void paintBadCells(QPainter& painter, const TensorPlane& plane, const QRectF& box, const Palette& palette);

/// Between two colours: `part` of the first.
QColor mixed(const QColor& a, const QColor& b, double part);

}  // namespace rx::views
