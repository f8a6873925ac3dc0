// A row of chips over a search field: which kinds of things are wanted. A chip is the prefix that one may type instead;
// the field's text is the only state.
#pragma once

#include <QWidget>
#include <vector>

class QLineEdit;
class QToolButton;

namespace rx::views {

class SearchChips : public QWidget {
  Q_OBJECT

 public:
  /// `onlyStages` leaves out what stages do not hold: commands, passes, lines.
  SearchChips(QLineEdit* edit, bool onlyStages, QWidget* parent);
  /// The chip behind (or before) the one that is on: what Tab does in the field.
  void step(int by);
  /// Shows the chip of the field's prefix; done by itself when the text changes.
  void follow();

 private:
  void choose(int number);
  QLineEdit* edit_;
  std::vector<QToolButton*> chips_;
  std::vector<QString> prefixes_;
};

}  // namespace rx::views
