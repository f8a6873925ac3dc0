// Strip "Timeline": one bar a recorded step, as wide as it took, coloured by what it did; draggable. A run of many
// steps is grouped so that no bar is narrower than a few pixels.
#pragma once

#include <QRectF>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/panels/panel.h"

namespace rx::views {

/// A bar: the steps that it stands for, and where it stands (0 to 1).
struct TimelineBar {
  int first = 0;
  int last = 0;
  double begin = 0;
  double end = 0;
  bool builtin = false;
  bool bad = false;
};

/// Bars of a trace for a strip that is `width` wide; each at least `least` wide.
std::vector<TimelineBar> timelineBars(const std::vector<TraceRow>& trace, double width, double least);

class TimelinePanel : public Panel {
  Q_OBJECT

 public:
  TimelinePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF strip() const;
  int stepAt(double x) const;
  QString caption() const;
  QString describe(int step) const;
  void goTo(double x);
  PanelContext context_;
  int asked_ = -1;
};

}  // namespace rx::views
