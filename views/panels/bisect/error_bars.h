// The errors of every binding after every pass: a group of bars a stage, one bar a binding, on a logarithmic scale,
// with the limit as a line.
#pragma once

#include <QWidget>

#include "views/models/bisect_report.h"

namespace rx::views {

class ErrorBars : public QWidget {
  Q_OBJECT

 public:
  explicit ErrorBars(QWidget* parent = nullptr);
  /// Keeps the report, which outlives it or the next one; null for none.
  void setReport(const BisectReport* report);
  /// The stage whose group is marked, and the row of its values; -1 for none.
  void setCurrent(int stage, int value);
  /// "9 StaticPlanBlockMemory: left 0.125 off, right equal", a line a stage.
  QString text() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// `value`: the row among the values of the stage, -1 for the stage alone.
  void picked(int stage, int value);
  void chosen();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// Bars that would be thinner than can be seen share one, as high as the highest of them.
  struct Bar {
    QRectF box;
    int value = -1;
  };
  void measure();
  QString limitText() const;
  QRectF plot() const;
  QRectF column(int stage) const;
  double heightOf(double error) const;
  std::vector<Bar> barsOf(const StageOutcome& stage) const;
  void paintAxis(QPainter& painter) const;
  void paintStage(QPainter& painter, int number) const;
  void paintBars(QPainter& painter, const StageOutcome& stage) const;
  void paintFoot(QPainter& painter, int number) const;
  QString barText(const StageOutcome& stage, int value) const;
  std::pair<int, int> placeAt(const QPointF& at) const;
  const BisectReport* report_ = nullptr;
  int stage_ = -1, value_ = -1;
  double limit_ = 0;               // the largest that a value was held to
  double lowest_ = -8, most_ = 0;  // ends of the scale, powers of ten
};

}  // namespace rx::views
