#include "views/panels/values/plane_image.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace rx::views {
namespace {

/// The number that a cell of several elements shows: the one of the larger magnitude.
float shown(const TensorPlane& plane, size_t cell) {
  const float low = plane.low[cell], high = plane.high[cell];
  return std::fabs(low) > std::fabs(high) ? low : high;
}

/// 0 at the low end of the scale, 1 at the high one.
double part(double value, const HeatScale& scale) {
  return scale.high > scale.low ? std::clamp((value - scale.low) / (scale.high - scale.low), 0.0, 1.0) : 0.5;
}

template <class Pixel>
QImage imageOf(const TensorPlane& plane, const Palette& palette, Pixel pixel) {
  QImage image(std::max(1, plane.columns), std::max(1, plane.rows), QImage::Format_RGB32);
  image.fill(palette.base);
  for (int r = 0; r < plane.rows; ++r) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(r));
    for (int c = 0; c < plane.columns; ++c) {
      const auto cell = static_cast<size_t>(r) * static_cast<size_t>(plane.columns) + static_cast<size_t>(c);
      line[c] = plane.bad[static_cast<qsizetype>(cell)] ? palette.errorFill.rgb() : pixel(cell);
    }
  }
  return image;
}

}  // namespace

QColor mixed(const QColor& a, const QColor& b, double part) {
  const auto one = [part](int x, int y) { return static_cast<int>(std::lround(x * part + y * (1 - part))); };
  return {one(a.red(), b.red()), one(a.green(), b.green()), one(a.blue(), b.blue())};
}

HeatScale scaleOf(double low, double high) {
  if (low >= 0) return {low, high};
  const double most = std::max(std::fabs(low), std::fabs(high));
  return {-most, most};
}

QColor heatColor(double value, const HeatScale& scale, const Palette& palette) {
  const QColor deep = palette.dark ? palette.accent.lighter(110) : palette.accent.darker(150);
  const QColor pale = mixed(palette.accent, palette.base, 0.08);
  const double at = part(value, scale);
  if (!scale.diverging()) return mixed(deep, pale, at);
  return at >= 0.5 ? mixed(deep, palette.base, (at - 0.5) * 2) : mixed(palette.warning, palette.base, (0.5 - at) * 2);
}

QImage heatImage(const TensorPlane& plane, const HeatScale& scale, const Palette& palette) {
  return imageOf(plane, palette, [&](size_t cell) { return heatColor(shown(plane, cell), scale, palette).rgb(); });
}

QImage grayImage(const TensorPlane& plane, const HeatScale& scale, const Palette& palette) {
  return imageOf(plane, palette, [&](size_t cell) {
    const int gray = static_cast<int>(std::lround(part(shown(plane, cell), scale) * 255));
    return qRgb(gray, gray, gray);
  });
}

QImage colorImage(const TensorPlane& red, const TensorPlane& green, const TensorPlane& blue, const HeatScale& scale,
                  const Palette& palette) {
  return imageOf(red, palette, [&](size_t cell) {
    const auto level = [&](const TensorPlane& plane) {
      return cell < plane.low.size() ? static_cast<int>(std::lround(part(shown(plane, cell), scale) * 255)) : 0;
    };
    return qRgb(level(red), level(green), level(blue));
  });
}

void paintHatched(QPainter& painter, const QRectF& box, const Palette& palette) {
  painter.fillRect(box, palette.errorFill);
  if (box.width() < 3 || box.height() < 3) return painter.fillRect(box, palette.error);
  painter.save();
  painter.setClipRect(box, Qt::IntersectClip);
  painter.setPen(QPen(palette.error, 1.2));
  constexpr double kGap = 4;
  for (double x = box.left() - box.height(); x < box.right(); x += kGap)
    painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
  painter.restore();
}

void paintBadCells(QPainter& painter, const TensorPlane& plane, const QRectF& box, const Palette& palette) {
  const double wide = box.width() / plane.columns, high = box.height() / plane.rows;
  for (int r = 0; r < plane.rows; ++r) {
    const qsizetype row = static_cast<qsizetype>(r) * plane.columns;
    for (int c = 0; c < plane.columns; ++c) {
      if (!plane.bad[row + c]) continue;
      const int first = c;
      while (c + 1 < plane.columns && plane.bad[row + c + 1]) ++c;
      paintHatched(painter, {box.left() + first * wide, box.top() + r * high, (c + 1 - first) * wide, high}, palette);
    }
  }
}

}  // namespace rx::views
