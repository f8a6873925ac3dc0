// A card: the outcome of something that was asked for, over the panels: what it is, more about it, and the ways on as
// buttons. It moves nothing, keeps clear of the line that it speaks of, and goes with Esc.
#pragma once

#include <QFrame>
#include <QPointer>
#include <QStringList>
#include <vector>

#include "views/panels/panel.h"
#include "views/theme/palette.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace rx::views {

enum class CardTone : uint8_t { Good, Warning, Error, Past };

/// A way on: a command and its arguments under a name.
struct CardWay {
  QString label;
  QStringList command;
  bool primary = false;  ///< the next sensible step: at most one
  bool link = false;     ///< stands at the right, without a frame
};

/// Where a card stands: in the middle of an area, or at its right side.
enum class CardSide : uint8_t { Middle, Right };

class Card : public QFrame {
  Q_OBJECT

 public:
  Card(Commands* commands, QWidget* ground);

  void begin(CardTone tone, const QString& title, const QString& aside);
  /// What stands below the title; the card takes it.
  void setContent(QWidget* content);
  void setWays(const std::vector<CardWay>& ways);
  /// A button that goes a way and closes the card; who asks for it gives it its place.
  QPushButton* makeWay(const CardWay& way);
  /// The whole as text, for scripts and screen readers.
  void setText(const QString& text);
  const QString& text() const { return text_; }

  /// Shows it over `area` of the ground, beside `clear`, which it does not cover where there is room. With `focus` its
  /// first button has the focus, until it goes: then the widget that had it before.
  void open(const QRect& area, const QRect& clear, CardSide side, bool focus);
  /// Shows it as the first row of what it was made in, which gives way to it: it covers nothing.
  void dock();
  void dismiss();
  /// Puts it in its place again, after the ground was resized.
  void place(const QRect& area, const QRect& clear);

 Q_SIGNALS:
  /// It was closed, by Esc, its cross or one of its ways.
  void dismissed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void dress();
  Commands* commands_;
  CardTone tone_ = CardTone::Good;
  CardSide side_ = CardSide::Middle;
  QString text_;
  QVBoxLayout* column_;
  QLabel* mark_;
  QLabel* title_;
  QLabel* aside_;
  QToolButton* close_;
  QWidget* content_ = nullptr;
  QHBoxLayout* ways_;
  QList<QPushButton*> buttons_;
  QPointer<QWidget> focusBefore_;
};

/// Draws a button as a link: without a frame, in the colour of links.
void dressLink(QPushButton* button, const Palette& theme);

/// Behind a list that is not shown whole: how many findings are left, as a way to all of them; nothing where none is.
void addRest(qsizetype left, QVBoxLayout* column, Card* card);

/// A label of a card: its text can be selected, and is plain unless it says otherwise.
QLabel* cardLabel(const QString& text, QWidget* parent, const QColor& ink = {}, bool bold = false);

}  // namespace rx::views
