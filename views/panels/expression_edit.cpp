#include "views/panels/expression_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStandardItemModel>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kTextRole = Qt::UserRole + 1;
constexpr int kShownRows = 10;

}  // namespace

ExpressionEdit::ExpressionEdit(const PanelContext& context, QWidget* parent)
    : QLineEdit(parent), context_(context), rows_(new QStandardItemModel(this)), completer_(new QCompleter(rows_, this)) {
  completer_->setWidget(this);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setMaxVisibleItems(kShownRows);
  completer_->setCompletionRole(kTextRole);
  connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
          [this](const QModelIndex& index) { insert(index.data(kTextRole).toString()); });
  connect(this, &QLineEdit::textEdited, this, [this] { offer(false); });
}

void ExpressionEdit::setFunction(int stage, const QString& function) {
  stage_ = stage;
  function_ = function;
}

void ExpressionEdit::setFault(const QString& message, int begin, int end) {
  fault_ = message;
  begin_ = begin;
  end_ = end;
  setToolTip(message);
  setAccessibleDescription(message);
  update();
}

Completions ExpressionEdit::here() const {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(stage_ < 0 ? place.stage : stage_, false);
  const FunctionRow* function = stage ? stage->function(function_.isEmpty() ? place.function : function_) : nullptr;
  return completionsAt(text(), cursorPosition(), function, context_.debug->registers());
}

QStringList ExpressionEdit::offered() const {
  QStringList names;
  for (const CompletionRow& row : here().rows) names << row.text;
  return names;
}

void ExpressionEdit::offer(bool asked) {
  const Completions found = here();
  const bool begun = cursorPosition() > found.begin || (found.begin > 0 && text()[found.begin - 1] == '.');
  if (found.rows.empty() || (!begun && !asked)) return completer_->popup()->hide();
  rows_->clear();
  int widest = 0;
  for (const CompletionRow& row : found.rows) {
    const QString shown = row.detail.isEmpty() ? row.text : row.text + QStringLiteral("    ") + row.detail;
    auto* item = new QStandardItem(shown);
    item->setData(row.call ? row.text + '(' : row.text, kTextRole);
    rows_->appendRow(item);
    widest = std::max(widest, fontMetrics().horizontalAdvance(shown));
  }
  completer_->setCompletionPrefix({});
  const int letter = fontMetrics().averageCharWidth();
  const int left = cursorRect().left();
  QRect under = rect();
  under.setLeft(left);
  under.setWidth(std::min(widest + 6 * letter, 80 * letter));
  completer_->complete(under);
}

void ExpressionEdit::complete() { offer(true); }

void ExpressionEdit::insert(const QString& word) {
  const Completions found = here();
  setSelection(found.begin, found.end - found.begin);
  QLineEdit::insert(word);
  completer_->popup()->hide();
  Q_EMIT textEdited(text());
}

/// Tab would move the focus before it came to keyPressEvent.
bool ExpressionEdit::event(QEvent* event) {
  if (event->type() == QEvent::KeyPress && completer_->popup()->isVisible() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab) {
    keyPressEvent(static_cast<QKeyEvent*>(event));
    return true;
  }
  return QLineEdit::event(event);
}

void ExpressionEdit::keyPressEvent(QKeyEvent* event) {
  const bool open = completer_->popup()->isVisible();
  const bool takes = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Tab;
  if (open && takes) {
    const QModelIndex current = completer_->popup()->currentIndex();
    // Enter ends the line unless a row was chosen; Tab takes the first one.
    if (current.isValid() || event->key() == Qt::Key_Tab)
      return insert((current.isValid() ? current : rows_->index(0, 0)).data(kTextRole).toString());
    completer_->popup()->hide();
  }
  if (event->key() == Qt::Key_Escape && open) return completer_->popup()->hide();
  if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) return complete();
  QLineEdit::keyPressEvent(event);
  // The end of the line is told by its signal; what lies below has a meaning of its own for Enter.
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) event->accept();
}

void ExpressionEdit::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (fault_.isEmpty()) return;
  // Where the text begins is known from where the cursor stands, also when the line is scrolled.
  const auto width = [this](int characters) { return fontMetrics().horizontalAdvance(text().left(characters)); };
  const int cursor = cursorRect().left() + cursorRect().width() / 2;
  const int origin = cursor - width(cursorPosition());
  const int letter = fontMetrics().averageCharWidth();
  const int from = origin + width(begin_);
  const int to = std::max(origin + width(end_), from + letter);
  const qreal y = rect().center().y() + fontMetrics().height() / 2.0;
  const qreal step = letter / 2.5;
  QPainterPath path(QPointF(from, y));
  bool up = true;
  for (qreal x = from + step; x <= to; x += step, up = !up) path.lineTo(x, up ? y - step * 0.8 : y);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(rect().adjusted(letter / 2, 0, -letter / 2, 0));
  painter.setPen(QPen(Palette::forQt(palette()).error, 1.4));
  painter.drawPath(path);
}

}  // namespace rx::views
