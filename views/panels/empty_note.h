// What stands in a panel that has nothing to show: what belongs there, in the middle, and a button with the command
// that brings it. Lists have the same of their own (ListView::setEmptyText).
#pragma once

#include <QLabel>
#include <QWidget>

class QPushButton;

namespace rx::views {

class Commands;

class EmptyNote : public QWidget {
 public:
  /// The button has the focus where the note is given it.
  EmptyNote(const QString& text, Commands* commands, const QString& id, QWidget* parent);
  QString text() const { return text_->text(); }

 private:
  QLabel* text_;
};

}  // namespace rx::views
