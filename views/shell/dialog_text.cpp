#include "views/shell/dialog_text.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStringList>
#include <QTextDocumentFragment>
#include <algorithm>

namespace rx::views {
namespace {

constexpr int kMostRows = 200;

QString rowsOf(const QAbstractItemView& view) {
  const QAbstractItemModel* model = view.model();
  QStringList rows;
  for (int row = 0; model && row < std::min(model->rowCount(), kMostRows); ++row) {
    QStringList cells;
    for (int column = 0; column < model->columnCount(); ++column) cells << model->index(row, column).data().toString();
    rows << cells.join('\t');
  }
  return rows.join('\n');
}

QString wordsOf(const QWidget& part) {
  if (const auto* label = qobject_cast<const QLabel*>(&part))
    return Qt::mightBeRichText(label->text()) ? QTextDocumentFragment::fromHtml(label->text()).toPlainText()
                                              : label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&part)) return button->text();
  if (const auto* field = qobject_cast<const QLineEdit*>(&part)) return field->text();
  if (const auto* box = qobject_cast<const QComboBox*>(&part)) return box->currentText();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(&part)) return text->toPlainText();
  if (const auto* view = qobject_cast<const QAbstractItemView*>(&part)) return rowsOf(*view);
  return {};
}

}  // namespace

QString dialogText(const QWidget& dialog) {
  QStringList lines{dialog.windowTitle()};
  for (const QWidget* part : dialog.findChildren<QWidget*>()) {
    if (!part->isVisibleTo(&dialog)) continue;
    if (const QString words = wordsOf(*part).trimmed(); !words.isEmpty()) lines << words;
  }
  return lines.join('\n');
}

}  // namespace rx::views
