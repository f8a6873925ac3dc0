#include "views/panels/values/histogram_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/panels/values/plane_image.h"

namespace rx::views {

HistogramView::HistogramView(QWidget* parent) : QWidget(parent), palette_(Palette::forQt(palette())) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Histogram"));
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setSizePolicy(policy);
}

void HistogramView::setTheme(const Palette& palette) {
  palette_ = palette;
  makeBars();
}

void HistogramView::setSurvey(const TensorSurvey* survey, qint64 nan, qint64 inf) {
  there_ = survey != nullptr;
  if (survey) survey_ = *survey;
  nan_ = nan;
  inf_ = inf;
  makeBars();
}

void HistogramView::setLogarithmic(bool on) {
  logarithmic_ = on;
  update();
}

void HistogramView::setMark(std::optional<double> value) {
  mark_ = value;
  update();
}

QSize HistogramView::sizeHint() const { return {fontMetrics().height() * 16, fontMetrics().height() * 6}; }
QSize HistogramView::minimumSizeHint() const { return {fontMetrics().height() * 6, fontMetrics().height() * 4}; }

QRectF HistogramView::plot() const {
  const double em = fontMetrics().height();
  return QRectF(rect()).adjusted(1, em * 0.95, -1, -em * 1.05);
}

/// As many bars as have room, each of several bins where there are more.
void HistogramView::makeBars() {
  bars_.clear();
  const double em = fontMetrics().height();
  const int bad = (nan_ > 0) + (inf_ > 0);
  if (there_ && !survey_.bins.empty()) {
    const double room = std::max(em, plot().width() - bad * em * 2.4);
    const size_t most = std::max<size_t>(1, static_cast<size_t>(room / (em * 1.25)));
    const size_t each = (survey_.bins.size() + most - 1) / most;
    const double width = (survey_.high - survey_.low) / static_cast<double>(survey_.bins.size());
    for (size_t i = 0; i < survey_.bins.size(); i += each) {
      Bar bar;
      const size_t end = std::min(i + each, survey_.bins.size());
      for (size_t k = i; k < end; ++k) bar.count += survey_.bins[k];
      bar.low = survey_.low + width * static_cast<double>(i);
      bar.high = end == survey_.bins.size() ? survey_.high : survey_.low + width * static_cast<double>(end);
      bars_.push_back(bar);
    }
  }
  if (nan_ > 0) bars_.push_back({nan_, 0, 0, QStringLiteral("NaN")});
  if (inf_ > 0) bars_.push_back({inf_, 0, 0, QStringLiteral("Inf")});
  focused_ = std::clamp(focused_, 0, std::max(0, barCount() - 1));
  setAccessibleDescription(text());
  update();
}

QString HistogramView::barText(const Bar& bar) const {
  if (!bar.bad.isEmpty()) return QStringLiteral("%1: %2").arg(bar.bad, grouped(bar.count));
  return tr("%1 to %2: %3").arg(shortNumber(bar.low, 4), shortNumber(bar.high, 4), grouped(bar.count));
}

QString HistogramView::text() const {
  QStringList lines;
  for (const Bar& bar : bars_)
    if (bar.count > 0) lines += barText(bar);
  return lines.join(QLatin1Char('\n'));
}

QRectF HistogramView::barBox(int bar) const {
  const double em = fontMetrics().height();
  const QRectF all = plot();
  const int bad = (nan_ > 0) + (inf_ > 0), numbers = barCount() - bad;
  const double wide = em * 2.0;
  if (bar >= numbers) {
    const double left = all.right() - (barCount() - bar) * (wide + em * 0.4) + em * 0.4;
    return {left, all.top(), wide, all.height()};
  }
  const double room = all.width() - bad * em * 2.4 - (bad > 0 ? em * 0.4 : 0);
  const double each = room / std::max(1, numbers);
  return {all.left() + bar * each, all.top(), std::max(1.0, each - 1), all.height()};
}

double HistogramView::heightOf(qint64 count, qint64 most) const {
  if (count <= 0 || most <= 0) return 0;
  const double part = logarithmic_ ? std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most))
                                   : static_cast<double>(count) / static_cast<double>(most);
  return std::max(2.0, part * plot().height());
}

bool HistogramView::marked(const Bar& bar) const {
  if (!mark_) return false;
  if (!bar.bad.isEmpty()) return bar.bad == QLatin1String("NaN") ? std::isnan(*mark_) : std::isinf(*mark_);
  return std::isfinite(*mark_) && *mark_ >= bar.low && (*mark_ < bar.high || bar.high == survey_.high) &&
         *mark_ <= survey_.high;
}

void HistogramView::paintBar(QPainter& painter, int number, qint64 most) {
  const Bar& bar = bars_[static_cast<size_t>(number)];
  const QRectF slot = barBox(number);
  QRectF box = slot;
  box.setTop(slot.bottom() - heightOf(bar.count, most));
  const bool bad = !bar.bad.isEmpty();
  if (bad) {
    paintHatched(painter, box, palette_);
    painter.setPen(QPen(palette_.error, 1));
    painter.drawRect(box);
  } else if (bar.count > 0) {
    painter.fillRect(box, mixed(palette_.accent, palette_.base, 0.5));
  }
  if (marked(bar)) {
    painter.setPen(QPen(palette_.accent, 2));
    painter.drawRect(box.adjusted(0, 0, 0, 0));
  }
  if (hasFocus() && number == focused_) {
    painter.setPen(QPen(palette_.text, 1, Qt::DotLine));
    painter.drawRect(slot.adjusted(0, 0, -1, -1));
  }
  const QString count = grouped(bar.count);
  const double em = fontMetrics().height();
  const QRectF above(slot.center().x() - em * 2, box.top() - em, em * 4, em);
  painter.setPen(bad ? palette_.error : palette_.grey);
  if (bar.count > 0 && (bad || painter.fontMetrics().horizontalAdvance(count) <= slot.width() + 2))
    painter.drawText(above, Qt::AlignHCenter | Qt::AlignBottom, count);
  if (bad) painter.drawText(QRectF(above.left(), slot.bottom() + 2, above.width(), em), Qt::AlignHCenter, bar.bad);
}

void HistogramView::paintAxis(QPainter& painter) {
  const int numbers = barCount() - (nan_ > 0) - (inf_ > 0);
  if (numbers <= 0) return;
  const QRectF axis = barBox(0).united(barBox(numbers - 1));
  painter.setPen(palette_.border);
  painter.drawLine(axis.bottomLeft(), axis.bottomRight());
  painter.setPen(palette_.grey);
  const QRectF below(axis.left(), axis.bottom() + 2, axis.width(), fontMetrics().height());
  const QString low = shortNumber(survey_.low, 4), high = shortNumber(survey_.high, 4);
  painter.drawText(below, Qt::AlignLeft, low);
  if (survey_.high <= survey_.low) return;
  painter.drawText(below, Qt::AlignRight, high);
  const QString middle = shortNumber(survey_.low / 2 + survey_.high / 2, 3);
  const QFontMetrics metrics = painter.fontMetrics();
  if (metrics.horizontalAdvance(low + middle + high) + metrics.height() * 3 < axis.width())
    painter.drawText(below, Qt::AlignHCenter, middle);
}

void HistogramView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.92);
  painter.setFont(small);
  if (bars_.empty()) {
    painter.setPen(palette_.grey);
    painter.drawText(rect(), Qt::AlignCenter, there_ ? tr("no numbers") : QString());
    return;
  }
  qint64 most = 0;
  for (const Bar& bar : bars_) most = std::max(most, bar.count);
  paintAxis(painter);
  for (int i = 0; i < barCount(); ++i) paintBar(painter, i, most);
}

int HistogramView::barAt(const QPointF& at) const {
  for (int i = 0; i < barCount(); ++i)
    if (barBox(i).adjusted(0, -fontMetrics().height(), 1, fontMetrics().height()).contains(at)) return i;
  return -1;
}

void HistogramView::pick(int bar) {
  if (bar < 0 || bar >= barCount()) return;
  const Bar& chosen = bars_[static_cast<size_t>(bar)];
  if (chosen.count == 0) return;
  ElementQuery query;
  query.nonFinite = !chosen.bad.isEmpty();
  query.low = chosen.low;
  query.high = chosen.high;
  Q_EMIT picked(query);
}

void HistogramView::mousePressEvent(QMouseEvent* event) {
  const int bar = barAt(event->position());
  if (bar < 0 || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  focused_ = bar;
  pick(bar);
  update();
}

void HistogramView::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
    return pick(focused_);
  if (step == 0) return QWidget::keyPressEvent(event);
  focused_ = std::clamp(focused_ + step, 0, std::max(0, barCount() - 1));
  update();
}

void HistogramView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  makeBars();
}

bool HistogramView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = barAt(help->pos());
  QToolTip::showText(help->globalPos(), bar < 0 ? QString() : barText(bars_[static_cast<size_t>(bar)]), this);
  return true;
}

}  // namespace rx::views
