// The tour: six steps on a sample, each a bubble at the panel that it speaks of, with the real commands run for it. It
// can be left at any step and taken again from the Help menu.
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace rx::views {

class MainWindow;
class Panel;
class ScriptRunner;

class Tour : public QFrame {
  Q_OBJECT

 public:
  explicit Tour(MainWindow* window);
  void begin();
  /// Shows the step before or behind; behind the last one the tour ends.
  void go(int by);
  void leave();
  /// From 0; -1 while there is no tour.
  int step() const { return step_; }
  static int stepCount();
  /// True while the commands of a step run.
  bool busy() const { return runner_ != nullptr; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void showStep();
  void place();
  MainWindow* window_;
  QLabel* title_;
  QLabel* text_;
  QLabel* number_;
  QPushButton* back_;
  QPushButton* next_;
  ScriptRunner* runner_ = nullptr;
  int step_ = -1;
};

}  // namespace rx::views
