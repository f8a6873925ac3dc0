#include "views/panels/profile/roofline_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

double intensityOf(const ProfileRow& row) { return row.bytes > 0 ? row.operations() / row.bytes : 0; }
bool isDrawn(const ProfileRow& row) { return row.kernel && row.operations() > 0 && row.bytes > 0 && row.working() > 0; }

}  // namespace

RooflineView::RooflineView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Roofline: GFLOP/s by FLOP for each byte"));
  setMouseTracking(true);
}

QSize RooflineView::sizeHint() const { return {fontMetrics().averageCharWidth() * 44, fontMetrics().height() * 14}; }

void RooflineView::setProfiles(ProfilePtr now, ProfilePtr before, bool byCall) {
  now_ = std::move(now);
  before_ = std::move(before);
  byCall_ = byCall;
  current_ = -1;
  measure();
  size_t drawn = 0;
  if (now_)
    for (const ProfileRow& row : byCall_ ? now_->calls : now_->kernels)
      drawn += isDrawn(row) && (!isShown_ || isShown_(row));
  setAccessibleDescription(
      tr("%1 kernels under a roof of %2 GFLOP/s and %3 GB/s")
          .arg(drawn)
          .arg(shortNumber(now_ ? now_->flopsLimit * 1e-9 : 0, 4), shortNumber(now_ ? now_->bytesLimit * 1e-9 : 0, 4)));
  update();
}

void RooflineView::setCurrent(int row) {
  current_ = row;
  update();
}

/// The axes hold the ridge of the roof and every dot.
void RooflineView::measure() {
  if (!now_ || now_->flopsLimit <= 0 || now_->bytesLimit <= 0) return;
  const double peak = std::log2(now_->flopsLimit * 1e-9), ridge = std::log2(now_->flopsLimit / now_->bytesLimit);
  left_ = ridge - 4;
  right_ = ridge + 2;
  top_ = peak + 1;
  bottom_ = peak - 5;
  for (const ProfilePtr& profile : {now_, before_}) {
    if (!profile) continue;
    for (const ProfileRow& row : byCall_ ? profile->calls : profile->kernels) {
      if (!isDrawn(row)) continue;
      if (row.ofIntegers() && profile->integersLimit > 0)
        top_ = std::max(top_, std::log2(profile->integersLimit * 1e-9) + 1);
      const double x = std::log2(intensityOf(row)), y = std::log2(gigaflops(row));
      left_ = std::min(left_, x - 1);
      right_ = std::max(right_, x + 1);
      bottom_ = std::min(bottom_, y - 1);
      top_ = std::max(top_, y + 1);
    }
  }
  left_ = std::floor(left_);
  right_ = std::ceil(right_);
  bottom_ = std::floor(bottom_);
  top_ = std::ceil(top_);
}

QRectF RooflineView::area() const {
  const int letter = fontMetrics().averageCharWidth(), line = fontMetrics().height();
  return QRectF(rect()).adjusted(letter * 9, line * 1.6, -letter * 4, -line * 2.6);
}

QPointF RooflineView::place(double intensity, double gigaflops) const {
  const QRectF box = area();
  const double x = (std::log2(intensity) - left_) / (right_ - left_);
  const double y = (std::log2(gigaflops) - bottom_) / (top_ - bottom_);
  return {box.left() + box.width() * x, box.bottom() - box.height() * y};
}

std::vector<RooflineView::Dot> RooflineView::dotsOf(const Profile& profile, bool before) const {
  std::vector<Dot> dots;
  const std::vector<ProfileRow>& rows = byCall_ ? profile.calls : profile.kernels;
  const double largest = fontMetrics().height();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!isDrawn(rows[i]) || (isShown_ && !isShown_(rows[i]))) continue;
    dots.push_back({before ? -1 : static_cast<int>(i), place(intensityOf(rows[i]), gigaflops(rows[i])),
                    std::max(3.0, largest * std::sqrt(rows[i].share)),
                    (rows[i].ofIntegers() ? tr("%1: %2 GOP/s of whole numbers at %3 a byte")
                                          : tr("%1: %2 GFLOP/s at %3 FLOP a byte"))
                        .arg(rows[i].callee.isEmpty() ? rows[i].name : rows[i].callee,
                             shortNumber(gigaflops(rows[i]), 3), shortNumber(intensityOf(rows[i]), 3)),
                    kindOf_ ? kindOf_(rows[i]) : OpKind::Compute});
  }
  return dots;
}

void RooflineView::drawAxes(QPainter& painter) const {
  const Palette& theme = Palette::forQt(palette());
  const QRectF box = area();
  const int line = fontMetrics().height(), letter = fontMetrics().averageCharWidth();
  painter.setPen(theme.grey);
  const QString legend = before_ ? tr("disc B, ring A, area is time") : tr("area is time");
  // Beside the unit of the axis.
  const QString whole = hasParallel() ? tr("%1; dashed: all threads").arg(legend) : legend;
  const int room = width() - fontMetrics().horizontalAdvance(tr("GFLOP/s")) - 4 * letter;
  painter.drawText(QRectF(letter, 2, room, line), Qt::AlignLeft, fontMetrics().elidedText(whole, Qt::ElideRight, room));
  painter.drawText(QRectF(box.left(), height() - line - 2, box.width(), line), Qt::AlignRight,
                   tr("FLOP for each byte moved"));
  painter.drawText(QRectF(letter, 2, width() - 2 * letter, line), Qt::AlignRight, tr("GFLOP/s"));
  // So many powers of two from label to label that they keep apart.
  const double across = std::max(1.0, std::ceil(letter * 9 * (right_ - left_) / std::max(1.0, box.width())));
  const double up = std::max(1.0, std::ceil(line * 2 * (top_ - bottom_) / std::max(1.0, box.height())));
  for (double x = left_; x <= right_; x += across) {
    const double at = box.left() + box.width() * (x - left_) / (right_ - left_);
    painter.setPen(theme.border);
    painter.drawLine(QPointF(at, box.top()), QPointF(at, box.bottom()));
    painter.setPen(theme.grey);
    // The first one keeps out of the corner, where the other axis has its own.
    const bool first = x == left_;
    painter.drawText(QRectF(first ? at : at - letter * 5, box.bottom() + 2, letter * 10, line),
                     first ? Qt::AlignLeft : Qt::AlignHCenter, shortNumber(std::exp2(x), 3));
  }
  for (double y = bottom_; y <= top_; y += up) {
    const double at = box.bottom() - box.height() * (y - bottom_) / (top_ - bottom_);
    painter.setPen(theme.border);
    painter.drawLine(QPointF(box.left(), at), QPointF(box.right(), at));
    painter.setPen(theme.grey);
    painter.drawText(QRectF(0, at - line / 2.0, box.left() - letter, line), Qt::AlignRight | Qt::AlignVCenter,
                     shortNumber(std::exp2(y), 3));
  }
}

/// Whether a kernel that is drawn may run on all threads, whose roof is higher.
bool RooflineView::hasParallel() const {
  if (!now_ || now_->allFlopsLimit <= now_->flopsLimit || now_->allBytesLimit <= 0) return false;
  const std::vector<ProfileRow>& rows = byCall_ ? now_->calls : now_->kernels;
  return std::ranges::any_of(rows, [](const ProfileRow& row) { return row.parallel && isDrawn(row); });
}

/// Whether a kernel that is drawn computes with whole numbers, whose roof is higher.
bool RooflineView::hasIntegers() const {
  if (!now_ || now_->integersLimit <= 0) return false;
  const std::vector<ProfileRow>& rows = byCall_ ? now_->calls : now_->kernels;
  return std::ranges::any_of(rows, [](const ProfileRow& row) { return row.ofIntegers() && isDrawn(row); });
}

void RooflineView::drawLine(QPainter& painter, double flops, double bytes) const {
  const double peak = flops * 1e-9, bandwidth = bytes * 1e-9, ridge = peak / bandwidth;
  const double start = std::max(std::exp2(left_), std::exp2(bottom_) / bandwidth);
  painter.drawLine(place(start, start * bandwidth), place(ridge, peak));
  painter.drawLine(place(ridge, peak), place(std::exp2(right_), peak));
}

void RooflineView::drawRoof(QPainter& painter) const {
  const Palette& theme = Palette::forQt(palette());
  const double peak = now_->flopsLimit * 1e-9, bandwidth = now_->bytesLimit * 1e-9, ridge = peak / bandwidth;
  if (hasParallel()) {
    painter.setPen(QPen(theme.grey, 1.2, Qt::DashLine));
    drawLine(painter, now_->allFlopsLimit, now_->allBytesLimit);
  }
  const int line = fontMetrics().height();
  if (hasIntegers()) {
    painter.setPen(QPen(theme.grey, 1.2, Qt::DotLine));
    drawLine(painter, now_->integersLimit, now_->bytesLimit);
    const double most = now_->integersLimit * 1e-9;
    painter.setPen(theme.grey);
    painter.drawText(QRectF(area().left(), place(ridge, most).y() - line - 3, area().width(), line), Qt::AlignRight,
                     tr("int8 %1 GOP/s").arg(shortNumber(most, 4)));
  }
  painter.setPen(QPen(theme.text, 1.6));
  drawLine(painter, now_->flopsLimit, now_->bytesLimit);
  painter.setPen(theme.grey);
  const QPointF top = place(ridge, peak);
  // Over the plot alone: its left side has the scale.
  const QRectF above(area().left(), top.y() - line - 3, area().width(), line);
  QString whole = tr("peak %1 GFLOP/s, memory %2 GB/s").arg(shortNumber(peak, 4), shortNumber(bandwidth, 3));
  if (now_->limitsBusy >= kBusyMachine) whole += tr(", on a busy machine");
  const bool fits = fontMetrics().horizontalAdvance(whole) < above.width();
  painter.drawText(above, Qt::AlignRight, fits ? whole : tr("peak %1 GFLOP/s").arg(shortNumber(peak, 4)));
}

void RooflineView::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  if (!now_ || now_->flopsLimit <= 0 || now_->bytesLimit <= 0) return;
  painter.setRenderHint(QPainter::Antialiasing);
  drawAxes(painter);
  drawRoof(painter);
  dots_ = dotsOf(*now_, false);
  std::vector<Dot> rings = before_ ? dotsOf(*before_, true) : std::vector<Dot>();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.grey, 1.4));
  for (const Dot& ring : rings) painter.drawEllipse(ring.at, ring.radius, ring.radius);
  for (const Dot& dot : dots_) {
    painter.setPen(QPen(theme.of(dot.kind).line, 1.2));
    painter.setBrush(theme.of(dot.kind).bar);
    painter.drawEllipse(dot.at, dot.radius, dot.radius);
  }
  for (const Dot& dot : dots_) {
    if (dot.row != current_) continue;
    constexpr double kGap = 4;
    painter.setPen(QPen(theme.accent, 3));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(dot.at, dot.radius + kGap, dot.radius + kGap);
    const QRectF box = area();
    const QRectF label(box.left(), dot.at.y() + dot.radius + kGap + 3, box.width(), fontMetrics().height());
    painter.setPen(theme.text);
    painter.drawText(label, dot.at.x() < box.center().x() ? Qt::AlignLeft : Qt::AlignRight,
                     fontMetrics().elidedText(dot.text, Qt::ElideMiddle, static_cast<int>(box.width())));
  }
}

const RooflineView::Dot* RooflineView::dotAt(const QPointF& at) const {
  const Dot* nearest = nullptr;
  double distance = fontMetrics().height();
  for (const Dot& dot : dots_) {
    const double away = std::hypot(dot.at.x() - at.x(), dot.at.y() - at.y()) - dot.radius;
    if (away >= distance) continue;
    distance = away;
    nearest = &dot;
  }
  return nearest;
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
  const Dot* dot = event->button() == Qt::LeftButton ? dotAt(event->position()) : nullptr;
  if (!dot) return QWidget::mousePressEvent(event);
  Q_EMIT picked(dot->row);
}

bool RooflineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const Dot* dot = dotAt(help->pos());
  QToolTip::showText(help->globalPos(), dot ? dot->text : QString(), this);
  return true;
}

}  // namespace rx::views
