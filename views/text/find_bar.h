// The bar of Ctrl+F and Ctrl+G in the corner of a text view.
#pragma once

#include <QFrame>

#include "views/theme/palette.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace rx {

class TextView;

class FindBar : public QFrame {
  Q_OBJECT
 public:
  explicit FindBar(TextView* view);
  void setTheme(const Palette& palette);
  /// Opens for searching; a pattern that is not empty replaces the last one.
  void openFind(const QString& pattern);
  void openGoToLine(uint32_t lines, uint32_t current);
  /// Top right corner of a rectangle of the view.
  void placeIn(const QRect& area);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QToolButton* addToggle(const QString& label, const QString& tip);
  QToolButton* addButton(const QString& tip);
  void setMode(bool goToLine);
  void patternChanged();
  void showCount();
  void acceptLine();

  TextView* view_;
  QLineEdit* edit_;
  QLabel* count_;
  QToolButton* caseButton_;
  QToolButton* wordButton_;
  QToolButton* regexButton_;
  QToolButton* previous_;
  QToolButton* next_;
  QToolButton* close_;
  QString lastPattern_;
  Palette theme_;
  bool goToLine_ = false;
};

}  // namespace rx
