// What the card of a file that does not open says: how many errors, the first with its place, and its fix.
#pragma once

#include <QString>

#include "views/models/document.h"

class QWidget;

namespace rx::views {

class Card;

struct Refusal {
  QString title;     ///< "module.py does not open: 3 errors"
  QString aside;     ///< "mlp/module.py stays open"
  QString sentence;  ///< the first error
  QString place;     ///< "line 12, column 5"
  QString fix;
  QStringList more;  ///< the errors after it, with their lines
  int line = 0;
  QString write;    ///< what the fix says exactly, in the place of `instead`; empty where it is advice
  QString instead;
  int fixable = 0;  ///< errors whose fix is exact
  QString later;    ///< "Write R.exp in line 8": the first exact fix, where it is not that of the first error
  QString text;     ///< all of it
};

/// Why the opening of a file was refused: what Document::openFailed said, and what the document holds about it.
Refusal refusalOf(const Document& document, const QString& path, const QString& reason);
/// What the card of a text that opens with fixes says: each of them.
QWidget* makeFixedContent(const QStringList& made, QWidget* parent);
/// The content of the card, which owns it.
QWidget* makeRefusedContent(const Refusal& refusal, Card* card);

}  // namespace rx::views
