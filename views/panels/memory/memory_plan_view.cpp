#include "views/panels/memory/memory_plan_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr double kLeastShare = 0.4;  // of an even share: what is small keeps so much of its height

QString labelOf(const PlannedPiece& piece) { return shortStorage(piece.name) + QStringLiteral(" · ") + piece.size; }

}  // namespace

MemoryPlanView::MemoryPlanView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Planned memory"));
  setMinimumHeight(fontMetrics().height() * 4);
  setFocusPolicy(Qt::StrongFocus);
}

void MemoryPlanView::setPlan(MemoryPlan plan, std::vector<QString> names) {
  plan_ = std::move(plan);
  names_ = std::move(names);
  pointed_ = moment_ = -1;
  placeLanes();
  measure();
  setAccessibleDescription(summary());
  update();
}

void MemoryPlanView::measure() {
  // The longest by its letters: to measure each of many would take longer than to draw them.
  QString longest;
  for (const PlannedPiece& piece : plan_.pieces)
    if (QString label = labelOf(piece); label.size() > longest.size()) longest = std::move(label);
  widest_ = fontMetrics().horizontalAdvance(longest);
}

void MemoryPlanView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) measure();
}

void MemoryPlanView::setSelected(int ordinal) {
  const bool known = ordinal >= 0 && static_cast<size_t>(ordinal) < plan_.callOf.size();
  const int call = known ? plan_.callOf[static_cast<size_t>(ordinal)] : -1;
  if (std::exchange(selected_, call) != call) update();
}

void MemoryPlanView::placeLanes() {
  lanes_.clear();
  double held = 0;
  bool known = true;
  for (const PlannedPiece& piece : plan_.pieces) {
    known &= piece.bytes >= 0;
    held += static_cast<double>(piece.bytes);
  }
  known &= held > 0;
  const double even = known ? held / static_cast<double>(plan_.pieces.size()) : 1;
  double all = 0;
  for (const PlannedPiece& piece : plan_.pieces) {
    all += known ? std::max(static_cast<double>(piece.bytes), even * kLeastShare) : even;
    lanes_.push_back(all);
  }
  for (double& lane : lanes_) lane /= all;
}

QString MemoryPlanView::nameOf(int moment) const {
  return moment >= 0 && static_cast<size_t>(moment) < names_.size() ? names_[static_cast<size_t>(moment)]
                                                                    : tr("the end");
}

void MemoryPlanView::setMoment(int moment) {
  if (std::exchange(moment_, moment) != moment) update();
}

QString MemoryPlanView::summary() const {
  const auto sized = [](qint64 bytes, const QString& formula) {
    return bytes < 0           ? formula
           : formula.isEmpty() ? bytesText(bytes)
                               : QStringLiteral("%1 = %2").arg(bytesText(bytes), formula);
  };
  const QString asked = sized(plan_.asked, plan_.askedText), held = sized(plan_.held, plan_.heldText);
  const QString buffers = grouped(plan_.temporaries), pieces = grouped(plan_.storages);
  const bool apart = plan_.pieces.size() == plan_.buffers.size();
  QString text = apart ? tr("%1 buffers, each in memory of its own").arg(buffers) : tr("%1 buffers").arg(buffers);
  if (!asked.isEmpty()) text += QStringLiteral(", ") + asked;
  if (plan_.storages < plan_.temporaries || plan_.held != plan_.asked) {
    text += QStringLiteral(" ") + QChar(0x203a) + QStringLiteral(" ") + tr("%1 pieces of memory").arg(pieces);
    if (!held.isEmpty()) text += QStringLiteral(", ") + held;
  }
  if (plan_.asked < 0) text += tr(" · the number of bytes is known when it runs");
  if (plan_.peak >= 0) text += tr(" · most alive %1 at %2").arg(bytesText(plan_.alive), nameOf(plan_.peak));
  if (plan_.returned > 0) text += tr(" · results apart, %1").arg(bytesText(plan_.returned));
  return text;
}

QString MemoryPlanView::text() const {
  QStringList lines{summary()};
  for (size_t p = 0; p < plan_.pieces.size(); ++p) {
    QStringList held;
    for (const PlannedBuffer& buffer : plan_.buffers)
      if (buffer.piece == static_cast<int>(p))
        held
            << QStringLiteral("%1 %2-%3").arg(buffer.name, QString::number(buffer.first), QString::number(buffer.last));
    lines << plan_.pieces[p].name + '\t' + plan_.pieces[p].size + '\t' + held.join(", ");
  }
  return lines.join('\n');
}

/// Between the names of the pieces and those of the moments.
QRectF MemoryPlanView::area() const {
  const int letter = fontMetrics().averageCharWidth();
  const double left = std::min(widest_ + 2 * letter, width() / 4);
  return QRectF(rect()).adjusted(left, letter / 2.0, -letter, -fontMetrics().height() - letter);
}

QRectF MemoryPlanView::laneOf(size_t piece, const QRectF& all) const {
  const double low = piece == 0 ? 0 : lanes_[piece - 1];
  return {all.left(), all.bottom() - lanes_[piece] * all.height(), all.width(), (lanes_[piece] - low) * all.height()};
}

double MemoryPlanView::xOf(int moment, const QRectF& all) const {
  return all.left() + all.width() * moment / static_cast<double>(plan_.moments.size() + 1);
}

QRectF MemoryPlanView::boxOf(const PlannedBuffer& buffer, const QRectF& all) const {
  const QRectF lane = laneOf(static_cast<size_t>(buffer.piece), all);
  const double gap = std::min(1.0, lane.height() / 4), left = xOf(buffer.first, all);
  return {left, lane.top() + gap, xOf(buffer.last + 1, all) - left, lane.height() - 2 * gap};
}

void MemoryPlanView::paintMoments(QPainter& painter, const QRectF& all) const {
  const Palette& theme = Palette::forQt(palette());
  const QFontMetrics letters = fontMetrics();
  double free = all.left();
  painter.setPen(theme.grey);
  for (size_t moment = 0; moment < names_.size(); ++moment) {
    const double x = xOf(static_cast<int>(moment), all);
    if (x < free) continue;
    const double room = letters.horizontalAdvance(names_[moment]);
    if (x + room > width()) continue;
    painter.drawText(QPointF(x, all.bottom() + letters.ascent() + 3), names_[moment]);
    free = x + room + letters.averageCharWidth();
  }
  if (moment_ >= 0 && moment_ != plan_.peak) {
    const double shown = (xOf(moment_, all) + xOf(moment_ + 1, all)) / 2;
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(QPointF(shown, all.top()), QPointF(shown, all.bottom()));
  }
  if (plan_.peak < 0) return;
  painter.setPen(QPen(theme.text, 1, Qt::DashLine));
  const double x = (xOf(plan_.peak, all) + xOf(plan_.peak + 1, all)) / 2;
  painter.drawLine(QPointF(x, all.top()), QPointF(x, all.bottom()));
  // Beside the line, in the lane that is empty there: what starts there first.
  const QString words = tr("most alive: %1 at %2").arg(bytesText(plan_.alive), names_[static_cast<size_t>(plan_.peak)]);
  const double wide = letters.horizontalAdvance(words) + letters.averageCharWidth();
  QRectF place(x + 2, all.top(), wide, letters.height());
  if (place.right() > all.right()) place.moveRight(x - 2);
  painter.fillRect(place, theme.warningFill);
  painter.setPen(theme.warning);
  painter.drawText(place, Qt::AlignCenter, words);
}

/// What is held and empty between two buffers of a piece.
void MemoryPlanView::paintGaps(QPainter& painter, const QRectF& all) const {
  const Palette& theme = Palette::forQt(palette());
  const QString words = tr("held, empty");
  const double wide = fontMetrics().horizontalAdvance(words);
  std::vector<int> ends(plan_.pieces.size(), -1);  // the moment behind the last buffer so far
  for (const PlannedBuffer& buffer : plan_.buffers) {
    int& end = ends[static_cast<size_t>(buffer.piece)];
    const QRectF lane = laneOf(static_cast<size_t>(buffer.piece), all);
    if (end >= 0 && end < buffer.first && lane.height() > 4) {
      const QRectF gap(QPointF(xOf(end, all), lane.top() + 1), QPointF(xOf(buffer.first, all), lane.bottom() - 1));
      painter.setPen(QPen(theme.grey, 1, Qt::DotLine));
      painter.setBrush(theme.base);
      painter.drawRect(gap);
      if (gap.width() > wide && gap.height() > fontMetrics().height() * 0.9)
        painter.drawText(gap, Qt::AlignCenter, words);
    }
    end = std::max(end, buffer.last + 1);
  }
}

/// Names from the bottom up, as many as there is room for.
void MemoryPlanView::paintPieces(QPainter& painter, const QRectF& all) const {
  const Palette& theme = Palette::forQt(palette());
  const QFontMetrics letters = fontMetrics();
  const int letter = letters.averageCharWidth();
  double free = height();
  for (size_t p = 0; p < plan_.pieces.size(); ++p) {
    const QRectF lane = laneOf(p, all);
    if (lane.height() >= 3) painter.fillRect(QRectF(lane.topLeft(), QSizeF(lane.width(), 1)), theme.border);
    if (lane.center().y() + letters.height() / 2.0 > free) continue;
    free = lane.center().y() - letters.height() / 2.0;
    const QRectF place(letter, free, all.left() - 2 * letter, letters.height());
    painter.setPen(theme.grey);
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                     letters.elidedText(labelOf(plan_.pieces[p]), Qt::ElideRight, static_cast<int>(place.width())));
  }
}

void MemoryPlanView::paintBuffers(QPainter& painter, const QRectF& all) const {
  const Palette& theme = Palette::forQt(palette());
  const QFontMetrics letters = fontMetrics();
  const int letter = letters.averageCharWidth();
  QRect last;
  for (const PlannedBuffer& buffer : plan_.buffers) {
    const QRectF box = boxOf(buffer, all);
    // Of a hundred thousand many fall on the same points.
    if (std::exchange(last, box.toAlignedRect()) == box.toAlignedRect()) continue;
    painter.fillRect(QRectF(box.topLeft(), QSizeF(std::max(1.0, box.width()), std::max(1.0, box.height()))),
                     theme.of(buffer.kind).bar);
    if (box.height() < letters.height() * 0.9 || box.width() < 4 * letter) continue;
    painter.setPen(theme.text);
    painter.drawText(box.adjusted(letter / 2.0, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     letters.elidedText(buffer.name, Qt::ElideRight, static_cast<int>(box.width()) - letter));
  }
}

void MemoryPlanView::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  if (plan_.buffers.empty()) return;
  const QRectF all = area();
  painter.fillRect(all, theme.panel);
  paintPieces(painter, all);
  paintGaps(painter, all);
  paintBuffers(painter, all);
  paintMoments(painter, all);
  painter.setPen(QPen(theme.accent, 3));
  painter.setBrush(Qt::NoBrush);
  for (const PlannedBuffer& buffer : plan_.buffers)
    if (buffer.ordinal == selected_) painter.drawRect(boxOf(buffer, all));
}

const PlannedBuffer* MemoryPlanView::at(QPointF place) const {
  const QRectF all = area();
  const auto found = std::find_if(plan_.buffers.begin(), plan_.buffers.end(),
                                  [&](const PlannedBuffer& buffer) { return boxOf(buffer, all).contains(place); });
  return found == plan_.buffers.end() ? nullptr : &*found;
}

void MemoryPlanView::mousePressEvent(QMouseEvent* event) {
  const QRectF all = area();
  const auto moments = static_cast<int>(plan_.moments.size());
  if (moments > 0 && all.width() > 0)
    pointed_ = std::clamp(static_cast<int>((event->position().x() - all.left()) / all.width() * (moments + 1)), 0,
                          moments - 1);
  if (const PlannedBuffer* buffer = at(event->position())) Q_EMIT picked(buffer->ordinal);
}

/// Left and Right walk over the buffers in the order in which they are written.
void MemoryPlanView::keyPressEvent(QKeyEvent* event) {
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (by == 0 || plan_.buffers.empty()) return QWidget::keyPressEvent(event);
  const PlannedBuffer* next = nullptr;
  for (const PlannedBuffer& buffer : plan_.buffers) {
    const bool ahead = selected_ < 0 || (buffer.ordinal - selected_) * by > 0;
    const bool nearer = !next || (buffer.ordinal - next->ordinal) * by < 0;
    if (ahead && nearer) next = &buffer;
  }
  if (!next) return;
  setSelected(next->ordinal);
  Q_EMIT picked(next->ordinal);
}

bool MemoryPlanView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const PlannedBuffer* buffer = at(help->pos());
  if (!buffer) return QToolTip::hideText(), true;
  const PlannedPiece& piece = plan_.pieces[static_cast<size_t>(buffer->piece)];
  const bool toEnd = buffer->last >= static_cast<int>(names_.size());
  QToolTip::showText(help->globalPos(),
                     tr("%1 in %2, %3\nread last by %4")
                         .arg(buffer->name, piece.name, piece.size,
                              toEnd ? tr("the caller") : names_[static_cast<size_t>(buffer->last)]),
                     this);
  return true;
}

}  // namespace rx::views
