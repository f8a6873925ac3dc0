#include "views/panels/row_edit.h"

#include <QKeyEvent>
#include <utility>

#include "views/panels/list_view.h"

namespace rx::views {

RowEdit::RowEdit(const PanelContext& context, ListView* view) : QObject(view), context_(context), view_(view) {}

void RowEdit::open(const QModelIndex& cell, const QString& name, const QString& text, const QString& fault,
                   int faultBegin, int faultEnd) {
  close();
  line_ = new ExpressionEdit(context_, view_->viewport());
  line_->setAccessibleName(name);
  line_->setText(text);
  line_->setFault(fault, faultBegin, faultEnd);
  QRect place = view_->visualRect(cell);
  place.setRight(view_->viewport()->width() - 1);
  line_->setGeometry(place);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::returnPressed, this, [this] {
    const QString written = line_->text().trimmed();
    close();
    view_->setFocus();
    Q_EMIT kept(written);
  });
  connect(line_, &QLineEdit::textEdited, this, [this] { line_->setFault({}, 0, 0); });
  line_->show();
  line_->selectAll();
  line_->setFocus();
}

void RowEdit::close() {
  if (!line_) return;
  ExpressionEdit* line = std::exchange(line_, nullptr);
  line->removeEventFilter(this);
  line->hide();
  line->deleteLater();
}

bool RowEdit::eventFilter(QObject* watched, QEvent* event) {
  if (!line_ || watched != line_) return QObject::eventFilter(watched, event);
  const bool escape = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
  // The list of completions and another window take the focus for a while only.
  const bool left = event->type() == QEvent::FocusOut &&
                    static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason &&
                    static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason;
  if (!escape && !left) return false;
  close();
  if (escape) view_->setFocus();
  return escape;
}

}  // namespace rx::views
