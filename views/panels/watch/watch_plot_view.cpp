#include "views/panels/watch/watch_plot_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/models/numbers.h"
#include "views/theme/past_theme.h"

namespace rx::views {

WatchPlotView::WatchPlotView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("History of the selected watch"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void WatchPlotView::setPast(bool past) {
  if (std::exchange(past_, past) != past) update();
}

QSize WatchPlotView::sizeHint() const { return {fontMetrics().averageCharWidth() * 20, fontMetrics().height() * 5}; }

void WatchPlotView::setPlot(const QString& expression, WatchPlot plot) {
  expression_ = expression;
  plot_ = std::move(plot);
  numbers_ = notFinite_ = 0;
  for (const WatchPlot::Point& point : plot_.points) {
    if (!point.known) continue;
    if (!std::isfinite(point.value)) {
      ++notFinite_;
      continue;
    }
    low_ = numbers_ == 0 ? point.value : std::min(low_, point.value);
    high_ = numbers_ == 0 ? point.value : std::max(high_, point.value);
    ++numbers_;
  }
  setAccessibleDescription(text());
  setToolTip(text());
  update();
}

void WatchPlotView::setStep(int step) {
  step_ = step;
  update();
}

QString WatchPlotView::text() const {
  if (expression_.isEmpty()) return {};
  if (!plot_.error.isEmpty()) return tr("%1: %2").arg(expression_, plot_.error);
  if (numbers_ + notFinite_ == 0) return tr("%1 has no value yet").arg(expression_);
  QString text = tr("%1 over %2 steps").arg(expression_, grouped(plot_.states));
  if (plot_.sampled) text += tr(", %1 of them looked at").arg(grouped(static_cast<qint64>(plot_.points.size())));
  const auto said = [this](double number) { return say_ ? say_(number) : shortNumber(number); };
  if (numbers_ > 0) text += QStringLiteral(": %1 … %2").arg(said(low_), said(high_));
  if (notFinite_ > 0) text += tr(", not finite at %1").arg(grouped(notFinite_));
  return text;
}

QRectF WatchPlotView::area() const {
  const int letter = fontMetrics().averageCharWidth();
  const double top = fontMetrics().height() * 1.5;
  return QRectF(letter, top, std::max(10, width() - 2 * letter), std::max(4.0, height() - top - letter));
}

double WatchPlotView::xOf(int step) const {
  if (plot_.points.empty()) return area().left();
  const int first = plot_.points.front().step;
  const int last = std::max(plot_.points.back().step, first + 1);
  return area().left() + area().width() * (step - first) / (last - first);
}

void WatchPlotView::paintEvent(QPaintEvent*) {
  const Palette& plain = Palette::forQt(palette());
  const Palette theme = past_ ? pastTheme(plain) : plain;
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  painter.setPen(theme.border);
  painter.drawLine(0, 0, width(), 0);
  const int letter = fontMetrics().averageCharWidth();
  const QRect caption(letter, 2, width() - 2 * letter, fontMetrics().height() + 2);
  painter.setPen(theme.grey);
  painter.drawText(caption, Qt::AlignVCenter, fontMetrics().elidedText(text(), Qt::ElideRight, caption.width()));
  if (numbers_ + notFinite_ == 0) return;
  const QRectF box = area();
  painter.setPen(theme.border);
  painter.drawLine(box.bottomLeft(), box.bottomRight());
  if (step_ >= 0) {
    painter.setPen(QPen(theme.text, 1.5));
    painter.drawLine(QPointF(xOf(step_), box.top() - 2), QPointF(xOf(step_), box.bottom()));
  }
  painter.setRenderHint(QPainter::Antialiasing);
  // A number that never changes stands in the middle.
  const auto y = [&](double value) {
    const double part = high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
    return box.bottom() - box.height() * 0.95 * part;
  };
  // A value holds until the next point: the line has steps, and a gap where there is no number.
  QPainterPath line;
  bool open = false;
  for (size_t i = 0; i < plot_.points.size(); ++i) {
    const WatchPlot::Point& point = plot_.points[i];
    const double left = xOf(point.step);
    const double right = i + 1 < plot_.points.size() ? xOf(plot_.points[i + 1].step) : left + 1;
    if (point.known && !std::isfinite(point.value)) {
      painter.fillRect(QRectF(left, box.top(), std::max(1.0, right - left), box.height()), theme.errorFill);
      painter.fillRect(QRectF(left, box.top(), std::max(1.0, right - left), 2), theme.error);
    }
    if (!point.known || !std::isfinite(point.value)) {
      open = false;
      continue;
    }
    open ? line.lineTo(left, y(point.value)) : line.moveTo(left, y(point.value));
    line.lineTo(right, y(point.value));
    open = true;
  }
  painter.setPen(QPen(theme.accent, 1.6));
  painter.drawPath(line);
}

void WatchPlotView::mousePressEvent(QMouseEvent* event) {
  if (plot_.points.empty() || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const int first = plot_.points.front().step;
  const double part = (event->position().x() - area().left()) / area().width();
  Q_EMIT stepWanted(
      std::clamp(first + qRound(part * (plot_.points.back().step - first)), first, plot_.points.back().step));
}

}  // namespace rx::views
