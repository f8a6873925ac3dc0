#include "views/text/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>

#include "views/text/text_view.h"

namespace rx {

FindBar::FindBar(TextView* view) : QFrame(view), view_(view), theme_(view->theme()) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  auto* row = new QHBoxLayout(this);
  const int gap = fontMetrics().height() / 4;
  row->setContentsMargins(gap, gap, gap, gap);
  row->setSpacing(gap);
  edit_ = new QLineEdit(this);
  edit_->setClearButtonEnabled(true);
  edit_->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
  edit_->installEventFilter(this);
  row->addWidget(edit_, 1);
  caseButton_ = addToggle(QStringLiteral("Aa"), tr("Match case"));
  wordButton_ = addToggle(QStringLiteral("W"), tr("Whole words"));
  regexButton_ = addToggle(QStringLiteral(".*"), tr("Regular expression"));
  count_ = new QLabel(this);
  count_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("000 of 000")));
  row->addWidget(count_);
  previous_ = addButton(tr("Previous match (Shift+F3)"));
  previous_->setArrowType(Qt::UpArrow);
  next_ = addButton(tr("Next match (F3)"));
  next_->setArrowType(Qt::DownArrow);
  close_ = addButton(tr("Close (Esc)"));
  close_->setText(QString(QChar(0x00d7)));
  connect(edit_, &QLineEdit::textChanged, this, &FindBar::patternChanged);
  connect(previous_, &QToolButton::clicked, view_, [this] { view_->findNext(-1); });
  connect(next_, &QToolButton::clicked, view_, [this] { view_->findNext(1); });
  connect(close_, &QToolButton::clicked, view_, &TextView::closeFind);
  connect(view_, &TextView::searchChanged, this, &FindBar::showCount);
  setTheme(theme_);
}

QToolButton* FindBar::addToggle(const QString& label, const QString& tip) {
  QToolButton* button = addButton(tip);
  button->setText(label);
  button->setCheckable(true);
  connect(button, &QToolButton::toggled, this, &FindBar::patternChanged);
  return button;
}

QToolButton* FindBar::addButton(const QString& tip) {
  auto* button = new QToolButton(this);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  layout()->addWidget(button);
  return button;
}

void FindBar::setTheme(const Palette& palette) {
  theme_ = palette;
  QPalette colors = palette.toQt();
  colors.setColor(QPalette::Window, palette.raised);
  setPalette(colors);
  showCount();
}

void FindBar::setMode(bool goToLine) {
  goToLine_ = goToLine;
  for (QToolButton* button : {caseButton_, wordButton_, regexButton_, previous_, next_}) button->setVisible(!goToLine);
  edit_->setAccessibleName(goToLine ? tr("Line number") : tr("Find"));
}

void FindBar::openFind(const QString& pattern) {
  setMode(false);
  edit_->setPlaceholderText(tr("Find"));
  const QString wanted = pattern.isEmpty() ? lastPattern_ : pattern;
  show();
  raise();
  if (edit_->text() == wanted) {
    patternChanged();
  } else {
    edit_->setText(wanted);
  }
  edit_->setFocus(Qt::ShortcutFocusReason);
  edit_->selectAll();
  showCount();
}

void FindBar::openGoToLine(uint32_t lines, uint32_t current) {
  setMode(true);
  const QString range = tr("1 to %1").arg(QLocale().toString(lines));
  edit_->setPlaceholderText(tr("Line"));
  show();
  raise();
  edit_->setText(QString::number(current + 1));
  count_->setText(range);
  edit_->setFocus(Qt::ShortcutFocusReason);
  edit_->selectAll();
}

void FindBar::placeIn(const QRect& area) {
  const int gap = fontMetrics().height() / 2;
  resize(std::min(sizeHint().width(), area.width() - 2 * gap), sizeHint().height());
  move(area.right() - width() - gap, area.top() + gap / 2);
}

void FindBar::patternChanged() {
  if (goToLine_) return;
  lastPattern_ = edit_->text();
  view_->find(lastPattern_, {caseButton_->isChecked(), wordButton_->isChecked(), regexButton_->isChecked()});
}

void FindBar::showCount() {
  const TextSearch* search = view_->search();
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, theme_.grey);
  QString text, tip;
  if (goToLine_) return;
  if (search && !search->error().isEmpty()) {
    text = tr("bad pattern");
    tip = search->error();
    colors.setColor(QPalette::WindowText, theme_.error);
  } else if (search && !lastPattern_.isEmpty()) {
    const QLocale locale;
    const auto found = static_cast<int>(search->matches().size());
    const QString more = search->truncated() || !search->done() ? QStringLiteral("+") : QString();
    if (found == 0 && search->done()) {
      text = tr("no match");
      colors.setColor(QPalette::WindowText, theme_.error);
    } else if (found > 0) {
      text = tr("%1 of %2%3").arg(locale.toString(view_->currentMatch() + 1), locale.toString(found), more);
    }
  }
  count_->setPalette(colors);
  count_->setText(text);
  count_->setToolTip(tip);
  if (isVisible()) placeIn(view_->viewport()->geometry());
}

void FindBar::acceptLine() {
  bool isNumber = false;
  const uint32_t line = edit_->text().trimmed().toUInt(&isNumber);
  if (!isNumber || line == 0 || line > view_->buffer()->lineCount()) {
    edit_->selectAll();
    return;
  }
  view_->goToLine(line - 1);
  view_->closeFind();
  Q_EMIT view_->caretMovedByUser(line - 1);
}

bool FindBar::eventFilter(QObject* object, QEvent* event) {
  if (object == edit_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (enter && goToLine_) return acceptLine(), true;
    if (enter || key->key() == Qt::Key_F3) {
      view_->findNext(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
      return true;
    }
  }
  return QFrame::eventFilter(object, event);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return view_->closeFind();
  QFrame::keyPressEvent(event);
}

}  // namespace rx
