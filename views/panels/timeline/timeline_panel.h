// Strip "Timeline": the recorded steps, as wide as they took, coloured by what they did. The wheel zooms, dragging
// shows the steps under the pointer. What is in sight is asked for: no row is kept of a step.
#pragma once

#include <QRectF>
#include <QTimer>
#include <optional>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/models/timeline_rows.h"
#include "views/panels/panel.h"

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
  /// While it waits for what is in sight; what a look at a very long run tells after that is added when it comes.
  bool busy() const override;
  /// The bars that are drawn now, and whether nothing is missing in them.
  const std::vector<TimelineBar>& bars() const { return part_.bars; }
  bool complete() const { return !asking_ && !part_.more; }
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
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  struct Header {
    QString title;  // "step 79 of 105, history"
    QString note;   // "31.2 µs recorded, unoptimised code"
  };
  Header header() const;
  /// The step before the one that is shown.
  QString describeLast() const;
  QString describe(const TimelineBar& bar) const;
  const InstructionRow* instruction(const TimelineBar& bar) const;
  QRectF strip() const;
  double xOf(double place, const QRectF& area) const;
  double placeAt(double x) const;
  const TimelineBar* barAt(double x) const;
  int stepAt(double x) const;
  void fit();
  void show(double from, double to);
  void zoom(double factor, double x);
  void pan(double pixels);
  void ask();
  void askLast();
  void take(const TimelinePart& part);
  void keepInSight();
  void goTo(double x);
  void showStep(int step);
  void paintHeader(QPainter& painter, const Palette& theme, const QRectF& area) const;
  void paintBars(QPainter& painter, const Palette& theme, const QRectF& area) const;
  void paintBar(QPainter& painter, const Palette& theme, const QRectF& area, const TimelineBar& bar) const;
  void paintMarks(QPainter& painter, const Palette& theme, const TimelineBar& bar, const QRectF& box) const;
  void paintCursor(QPainter& painter, const Palette& theme, const QRectF& area) const;
  bool selected(const TimelineBar& bar) const;
  PanelContext context_;
  TimelinePart part_;
  std::optional<TraceRow> last_;  // the step before the one that is shown, once it is known
  bool equal_ = false;
  double from_ = 0;  // the part of the line that is wished to be in sight
  double to_ = 0;
  bool whole_ = true;    // all of it is, also when more is recorded
  bool follow_ = false;  // the step that is shown has to come into sight
  bool asking_ = false;
  bool again_ = false;  // what is wished changed while it was asked for
  int asked_ = 0;       // number of the last question
  int lastAsked_ = 0;   // the same of that about the last step
  bool askingLast_ = false;
  int looks_ = 0;  // since something changed
  QTimer more_;
  int wished_ = -1;  // the step to show when the engine has answered about another
};

}  // namespace rx::views
