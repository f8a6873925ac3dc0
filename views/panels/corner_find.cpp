#include "views/panels/corner_find.h"

#include <QAbstractScrollArea>
#include <QEvent>
#include <QKeyEvent>
#include <algorithm>
#include <utility>

namespace rx::views {

CornerFind::CornerFind(QAbstractScrollArea* view, std::function<void(bool)> next)
    : QLineEdit(view), view_(view), next_(std::move(next)) {
  setAccessibleName(tr("Find"));
  setPlaceholderText(tr("find; Enter next, Esc close"));
  hide();
  view->installEventFilter(this);
}

void CornerFind::open() {
  place();
  show();
  raise();
  selectAll();
  setFocus();
}

void CornerFind::place() {
  const QRect inside = view_->viewport()->geometry();
  const int width = std::min(view_->fontMetrics().averageCharWidth() * 30, inside.width());
  setGeometry(inside.right() - width, inside.top(), width, sizeHint().height());
}

void CornerFind::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
      hide();
      return view_->setFocus();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return next_(!event->modifiers().testFlag(Qt::ShiftModifier));
    default:
      QLineEdit::keyPressEvent(event);
  }
}

bool CornerFind::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::Resize && isVisible()) place();
  return QLineEdit::eventFilter(watched, event);
}

}  // namespace rx::views
