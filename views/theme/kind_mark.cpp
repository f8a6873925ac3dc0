#include "views/theme/kind_mark.h"

#include <QPainter>
#include <QPolygonF>

namespace rx {
namespace {

/// The corners of a mark in a square from 0 to 1; a disc has none.
QPolygonF corners(KindMark mark) {
  switch (mark) {
    case KindMark::Square:
      return {{0.06, 0.06}, {0.94, 0.06}, {0.94, 0.94}, {0.06, 0.94}};
    case KindMark::TriangleRight:
      return {{0.06, 0}, {1, 0.5}, {0.06, 1}};
    case KindMark::TriangleDown:
      return {{0, 0.06}, {1, 0.06}, {0.5, 1}};
    case KindMark::Diamond:
      return {{0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}};
    case KindMark::Dash:
      return {{0, 0.4}, {1, 0.4}, {1, 0.6}, {0, 0.6}};
    case KindMark::None:
    case KindMark::Disc:
      break;
  }
  return {};
}

}  // namespace

void drawKindMark(QPainter& painter, KindMark mark, const QColor& color, const QRectF& box) {
  if (mark == KindMark::None) return;
  const qreal side = std::min(box.width(), box.height());
  const QPointF corner = box.center() - QPointF(side / 2, side / 2);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  if (mark == KindMark::Disc) {
    painter.drawEllipse(QRectF(corner, QSizeF(side, side)));
  } else {
    QPolygonF polygon = corners(mark);
    for (QPointF& point : polygon) point = corner + point * side;
    painter.drawPolygon(polygon);
  }
  painter.restore();
}

void drawKindMark(QPainter& painter, OpKind kind, const Palette& palette, const QRectF& box) {
  drawKindMark(painter, kindMark(kind), palette.of(kind).line, box);
}

}  // namespace rx
