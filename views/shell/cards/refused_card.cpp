#include "views/shell/cards/refused_card.h"

#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "views/shell/cards/card.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr qsizetype kMostMore = 5;

}  // namespace

Refusal refusalOf(const Document& document, const QString& path, const QString& reason) {
  Refusal refusal;
  std::vector<const ProblemRow*> errors;
  for (const ProblemRow& problem : document.problems())
    if (problem.severity == Severity::Error && (problem.source == "reader" || problem.file == document.refusedFile()))
      errors.push_back(&problem);
  const QString name = QFileInfo(document.refusedFile().isEmpty() ? path : document.refusedFile()).fileName();
  refusal.title = errors.size() > 1
                      ? QObject::tr("%1 does not open: %2 errors").arg(name, QString::number(errors.size()))
                      : QObject::tr("%1 does not open").arg(name);
  if (document.state() == Document::State::Ready) refusal.aside = QObject::tr("%1 stays open").arg(document.title());
  refusal.sentence = errors.empty() ? reason : errors.front()->message;
  if (!errors.empty()) {
    const ProblemRow& first = *errors.front();
    refusal.line = first.line;
    refusal.fix = first.fix;
    if (document.canFix(first)) {
      refusal.write = first.edit->text;
      refusal.instead = first.edit->old;
    }
    for (const ProblemRow* row : errors) {
      if (!document.canFix(*row)) continue;
      if (refusal.fixable++ == 0 && row != &first)
        refusal.later = QObject::tr("Write %1 in line %2").arg(row->edit->text, QString::number(row->line));
    }
    if (first.line > 0) refusal.place = QObject::tr("line %1, column %2").arg(first.line).arg(first.column);
  }
  for (size_t i = 1; i < errors.size(); ++i)
    refusal.more << (errors[i]->line > 0 ? QObject::tr("line %1: %2").arg(errors[i]->line).arg(errors[i]->message)
                                         : errors[i]->message);
  QStringList lines = {refusal.title,
                       refusal.sentence + (refusal.place.isEmpty() ? QString() : " (" + refusal.place + ')')};
  if (!refusal.fix.isEmpty()) lines << QObject::tr("fix: %1").arg(refusal.fix);
  refusal.text = (lines + refusal.more).join('\n');
  return refusal;
}

QWidget* makeFixedContent(const QStringList& made, QWidget* parent) {
  const Palette& theme = Palette::forQt(parent->palette());
  auto* content = new QWidget(parent);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  for (const QString& edit : made.mid(0, kMostMore)) column->addWidget(cardLabel(edit, content, theme.text));
  if (made.size() > kMostMore)
    column->addWidget(cardLabel(QObject::tr("and %1 more").arg(made.size() - kMostMore), content, theme.grey));
  column->addWidget(
      cardLabel(QObject::tr("The file is as it was: nothing has been written to it."), content, theme.grey));
  return content;
}

QWidget* makeRefusedContent(const Refusal& refusal, Card* card) {
  const Palette& theme = Palette::forQt(card->palette());
  auto* content = new QWidget(card);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  const auto add = [&](const QString& text, const QColor& ink, bool bold = false) {
    QLabel* label = cardLabel(text, content, ink, bold);
    label->setWordWrap(true);
    column->addWidget(label);
  };
  if (!refusal.place.isEmpty()) add(refusal.place, theme.grey);
  add(refusal.sentence, theme.text, true);
  if (!refusal.fix.isEmpty()) add(refusal.fix, theme.text);
  for (const QString& more : refusal.more.mid(0, kMostMore)) add(more, theme.grey);
  addRest(refusal.more.size() - kMostMore, column, card);
  return content;
}

}  // namespace rx::views
