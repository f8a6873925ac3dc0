// A small plot of a watch over the run: steps across, the number up; a click shows the step.
#pragma once

#include <QWidget>
#include <functional>

#include "views/models/debug_rows.h"

namespace rx::views {

class WatchPlotView : public QWidget {
  Q_OBJECT

 public:
  explicit WatchPlotView(QWidget* parent);
  void setPlot(const QString& expression, WatchPlot plot);
  void setStep(int step);
  /// Whether it is of a run that is past: then it is grey.
  void setPast(bool past);
  /// How its numbers are said; short numbers without it.
  void setNumberText(std::function<QString(double)> say) { say_ = std::move(say); }
  /// What the plot says, in words: "nan(weights) over 106 steps: 0 … 18".
  QString text() const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void stepWanted(int step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QRectF area() const;
  double xOf(int step) const;
  QString expression_;
  WatchPlot plot_;
  bool past_ = false;
  int step_ = -1;
  double low_ = 0;
  double high_ = 0;
  std::function<QString(double)> say_;
  int numbers_ = 0;  // finite ones
  int notFinite_ = 0;
};

}  // namespace rx::views
