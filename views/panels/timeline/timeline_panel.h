// Strip "Timeline": the recorded steps, as wide as they took, coloured by what they did. The wheel zooms, dragging
// shows the steps under the pointer.
#pragma once

#include <QRectF>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/panels/panel.h"
#include "views/panels/timeline/timeline_scale.h"

namespace rx::views {

class TimelinePanel : public Panel {
  Q_OBJECT

 public:
  TimelinePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  QStringList menuCommands() const override;
  /// fit, equalSteps on|off, zoom FACTOR.
  bool obey(const QString& name, const QStringList& arguments) override;
  /// The bars that are drawn now.
  const std::vector<TimelineBar>& bars() const;
  /// The part of the run that is in sight, 0 to 1.
  std::pair<double, double> view() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Header {
    QString title;  // "step 79 of 105, history"
    QString note;   // "31.2 µs recorded, unoptimised code"
  };
  Header header() const;
  QString describe(int step) const;
  QRectF strip() const;
  double xOf(int step) const;
  double placeAt(double x) const;
  int stepAt(double x) const;
  void refresh();
  void fit();
  void zoom(double factor, double x);
  void pan(double pixels);
  void keepInSight(int step);
  void goTo(double x);
  void showStep(int step);
  void paintHeader(QPainter& painter, const Palette& theme, const QRectF& area) const;
  void paintBars(QPainter& painter, const Palette& theme, const QRectF& area) const;
  void paintBar(QPainter& painter, const Palette& theme, const QRectF& area, const TimelineBar& bar) const;
  void paintMarks(QPainter& painter, const Palette& theme, const TimelineBar& bar, const QRectF& box) const;
  void paintCursor(QPainter& painter, const Palette& theme) const;
  bool selected(const TimelineBar& bar) const;
  PanelContext context_;
  TimelineScale scale_;
  bool equal_ = false;
  double from_ = 0;  // the part of the scale that is in sight
  double to_ = 0;
  bool whole_ = true;    // all of it is, also when more is recorded
  int wished_ = -1;      // the step to show when the engine has answered about another
  double time_ = 0;      // of all steps, microseconds
  double compiled_ = 0;  // of it for the machine code of kernels, beside what they ran
  mutable std::vector<TimelineBar> bars_;
  mutable double barsWidth_ = -1;  // that they were made for; -1 when they have to be made anew
};

}  // namespace rx::views
