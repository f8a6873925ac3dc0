#include "views/text/column_header.h"

#include <QMouseEvent>
#include <QPainter>
#include <cstdlib>

#include "views/text/text_view.h"

namespace rx {
namespace {

constexpr int kGrip = 5;  // pixels at each side of the splitter that take hold of it

}  // namespace

ColumnHeader::ColumnHeader(TextView* view) : QWidget(view), view_(view), theme_(&view->theme()) {
  setMouseTracking(true);
  setToolTip(tr("Drag the line before the values to make room for them or for the text; double click: as wide as needed."));
  setAccessibleName(tr("Columns"));
}

void ColumnHeader::setTheme(const Palette& theme) {
  theme_ = &theme;
  update();
}

void ColumnHeader::setTitle(const QString& title) {
  title_ = title;
  update();
}

QSize ColumnHeader::sizeHint() const { return {100, fontMetrics().height() + 6}; }

void ColumnHeader::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_->panel);
  painter.fillRect(0, height() - 1, width(), 1, theme_->border);
  painter.setPen(theme_->grey);
  const int pad = fontMetrics().averageCharWidth();
  const int split = view_->valuesLeft();
  const auto left = static_cast<int>(view_->textLeft());
  painter.drawText(QRect(0, 0, static_cast<int>(view_->numbersRight()), height()), Qt::AlignRight | Qt::AlignVCenter,
                   tr("line"));
  painter.drawText(QRect(left, 0, split - left - pad, height()), Qt::AlignLeft | Qt::AlignVCenter, tr("binding"));
  const QRect values(split + pad, 0, width() - split - 2 * pad, height());
  painter.drawText(values, Qt::AlignRight | Qt::AlignVCenter, titleWithin(values.width()));
  painter.fillRect(split, 2, 1, height() - 4, theme_->border);
}

/// The last words say which step it is: the first give way, and the types with the word that joins them.
QString ColumnHeader::titleWithin(int width) const {
  const auto fits = [&](const QString& text) { return fontMetrics().horizontalAdvance(text) <= width; };
  if (const QString both = tr("type and %1").arg(title_); view_->typesMoved() && fits(both)) return both;
  QString title = title_;
  while (title.contains(' ') && !fits(title)) title = title.section(' ', 1);
  return fontMetrics().elidedText(title, Qt::ElideRight, width);
}

bool ColumnHeader::onSplitter(const QPoint& position) const {
  return std::abs(position.x() - view_->valuesLeft()) <= kGrip;
}

void ColumnHeader::mousePressEvent(QMouseEvent* event) { dragging_ = onSplitter(event->pos()); }

void ColumnHeader::mouseMoveEvent(QMouseEvent* event) {
  setCursor(dragging_ || onSplitter(event->pos()) ? Qt::SplitHCursor : Qt::ArrowCursor);
  if (dragging_) Q_EMIT splitterMoved(event->pos().x());
}

void ColumnHeader::mouseReleaseEvent(QMouseEvent*) { dragging_ = false; }

void ColumnHeader::mouseDoubleClickEvent(QMouseEvent* event) {
  if (onSplitter(event->pos())) Q_EMIT splitterMoved(-1);
}

}  // namespace rx
