// A window whose cards are looked at: those of failures, and those of the end of a run.
#pragma once

#include <QLabel>
#include <QPushButton>

#include "live_bench.h"
#include "views/shell/cards/card.h"

namespace rx::views {

struct CardBench : LiveBench {
  Card* card = window.findChild<Card*>("outcomeCard");

  QPushButton* way(const QString& label) { return wayOf(card, label); }
  static QPushButton* wayOf(const Card* of, const QString& label) {
    for (QPushButton* button : of->findChildren<QPushButton*>())
      if (button->text() == label) return button;
    return nullptr;
  }
  /// Where the end of a run is said first: above the Inspector.
  Card* brief() { return window.findChild<Card*>("resultBrief"); }
  /// Whether the card covers the line that the caret of a panel stands on.
  bool covers(const char* id) {
    const Panel* panel = window.panel(id);
    const QRect line = panel->caretRect();
    if (!panel->isVisible() || !line.isValid()) return false;
    const QRect there(panel->mapTo(&window, line.topLeft()), line.size());
    return QRect(card->mapTo(&window, QPoint()), card->size()).intersects(there);
  }
  /// Whether the card is seen, whole, over the panels.
  bool shown() {
    QTest::qWait(20);
    const QRect there(card->mapTo(&window, QPoint()), card->size());
    return card->isVisible() && window.rect().contains(there) && there.width() > 200 && there.height() > 60;
  }
  const ProblemRow* problem(const QString& rule) {
    for (const ProblemRow& row : document.problems())
      if (row.rule == rule) return &row;
    return nullptr;
  }
};

}  // namespace rx::views
