// The status bar: why we stand here, where, memory against its peak, the engine, problems, and work in progress.
#pragma once

#include <QStatusBar>

#include "views/shell/desk.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace rx::views {

class Commands;

class StatusStrip : public QStatusBar {
  Q_OBJECT

 public:
  StatusStrip(Desk& desk, Commands* commands, QWidget* parent);
  /// Everything that it says, parts separated by " | ": what scripts `expect`.
  QString text() const;
  void refresh();

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QString stateText() const;
  QString placeText() const;
  QString stageText() const;
  QString engineText() const;
  QString memoryText() const;
  void showPlace();
  QString problemText() const;
  bool hasErrors() const;
  Desk& desk_;
  QToolButton* state_;  // the reason; a click shows its card
  QLabel* place_;
  QLabel* memory_;
  QLabel* engine_;
  QToolButton* problems_;
  QProgressBar* progress_;
  QToolButton* cancel_;
  QToolButton* end_;
};

}  // namespace rx::views
