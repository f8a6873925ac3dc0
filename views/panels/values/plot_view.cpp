#include "views/panels/values/plot_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/models/numbers.h"
#include "views/panels/values/plane_image.h"

namespace rx::views {

PlotView::PlotView(QWidget* parent) : QWidget(parent), palette_(Palette::forQt(palette())) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Line of the row"));
}

void PlotView::setTheme(const Palette& palette) {
  palette_ = palette;
  update();
}

void PlotView::setLine(const TensorPlane* plane) {
  plane_ = plane ? *plane : TensorPlane();
  update();
}

void PlotView::setMark(qint64 column) {
  mark_ = column;
  update();
}

QSize PlotView::sizeHint() const { return {fontMetrics().height() * 14, fontMetrics().height() * 8}; }

QRectF PlotView::plot() const {
  const double em = fontMetrics().height();
  return QRectF(rect()).adjusted(em * 4.2, em * 0.6, -em * 0.5, -em * 1.3);
}

void PlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = plot();
  if (plane_.columns == 0 || box.isEmpty()) return;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t i = 0; i < plane_.low.size(); ++i) {
    if (std::isnan(plane_.low[i])) continue;
    low = std::min<double>(low, plane_.low[i]);
    high = std::max<double>(high, plane_.high[i]);
  }
  const bool flat = !(high > low);
  const auto y = [&](double value) {
    return flat ? box.center().y() : box.bottom() - (value - low) / (high - low) * box.height();
  };
  const auto x = [&](double cell) { return box.left() + (cell + 0.5) / plane_.columns * box.width(); };
  painter.setPen(palette_.border);
  painter.drawRect(box);
  if (low < 0 && high > 0) painter.drawLine(QPointF(box.left(), y(0)), QPointF(box.right(), y(0)));
  painter.setPen(QPen(palette_.accent, 1.6));
  QPolygonF run;
  for (int c = 0; c < plane_.columns; ++c) {
    const auto i = static_cast<size_t>(c);
    if (plane_.bad[c])
      paintHatched(painter,
                   {x(c) - 0.5 * box.width() / plane_.columns, box.top(), box.width() / plane_.columns, box.height()},
                   palette_);
    if (std::isnan(plane_.low[i])) {
      painter.drawPolyline(run);
      run.clear();
      continue;
    }
    run << QPointF(x(c), y(plane_.high[i]));
    if (plane_.low[i] != plane_.high[i]) run << QPointF(x(c), y(plane_.low[i]));
  }
  painter.drawPolyline(run);
  if (run.size() == 1) painter.drawEllipse(run.front(), 2, 2);
  if (mark_ >= 0 && mark_ < plane_.fullColumns) {
    const double at =
        box.left() + (static_cast<double>(mark_) + 0.5) / static_cast<double>(plane_.fullColumns) * box.width();
    painter.setPen(QPen(palette_.text, 1, Qt::DashLine));
    painter.drawLine(QPointF(at, box.top()), QPointF(at, box.bottom()));
  }
  painter.setPen(palette_.grey);
  const double em = fontMetrics().height();
  if (std::isfinite(high)) {
    painter.drawText(QRectF(0, box.top() - em * 0.5, box.left() - 4, em), Qt::AlignRight, shortNumber(high, 4));
    if (!flat)
      painter.drawText(QRectF(0, box.bottom() - em * 0.6, box.left() - 4, em), Qt::AlignRight, shortNumber(low, 4));
  }
  const QRectF below(box.left(), box.bottom() + 2, box.width(), em);
  painter.drawText(below, Qt::AlignLeft, QStringLiteral("0"));
  if (plane_.fullColumns > 1) painter.drawText(below, Qt::AlignRight, grouped(plane_.fullColumns - 1));
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  const QRectF box = plot();
  if (plane_.columns == 0 || box.isEmpty()) return;
  const double part = (event->position().x() - box.left()) / box.width();
  Q_EMIT picked(std::clamp<qint64>(static_cast<qint64>(part * static_cast<double>(plane_.fullColumns)), 0,
                                   plane_.fullColumns - 1));
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || plane_.columns == 0) return QWidget::keyPressEvent(event);
  Q_EMIT picked(std::clamp<qint64>(mark_ + step, 0, plane_.fullColumns - 1));
}

}  // namespace rx::views
