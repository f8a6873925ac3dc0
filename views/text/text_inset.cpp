// The widget that stands between two lines of a text, under the one that it speaks of.
#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/text/text_view.h"

namespace rx {

void TextView::setInset(uint32_t line, QWidget* widget) {
  if (inset_) inset_->deleteLater();
  inset_ = widget;
  insetLine_ = line;
  if (widget) {
    widget->setParent(viewport());
    widget->installEventFilter(this);
    widget->resize(insetSize());
    unfoldAround(line);
    widget->show();
  }
  rebuildRows();
  if (!widget) return;
  // The whole of it shall be seen, below its line.
  const int bottom = widget->geometry().bottom();
  if (bottom > viewport()->height())
    verticalScrollBar()->setValue(verticalScrollBar()->value() + bottom - viewport()->height() + qRound(lineHeight_));
}

/// From the beginning of the texts to the edge; what needs more lines for that is as much higher.
QSize TextView::insetSize() const {
  const int room = viewport()->width() - qRound(textLeft() + charWidth_);
  const int width = std::max(inset_->minimumSizeHint().width(), room);
  return {width, inset_->hasHeightForWidth() ? inset_->heightForWidth(width) : inset_->sizeHint().height()};
}

uint32_t TextView::insetRows() const {
  return inset_ ? static_cast<uint32_t>(std::ceil((insetSize().height() + 4) / lineHeight_)) : 0;
}

bool TextView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == inset_ && event->type() == QEvent::LayoutRequest) placeInset();
  return QAbstractScrollArea::eventFilter(watched, event);
}

void TextView::placeInset() {
  if (!inset_) return;
  if (insetRows_ != insetRows()) return rebuildRows();
  const int left = qRound(textLeft());
  const int top = qRound(rowTop(rows_.rowOf(insetLine_) + 1)) - verticalScrollBar()->value();
  inset_->setGeometry(QRect(QPoint(left, top + 1), insetSize()));
}

}  // namespace rx
