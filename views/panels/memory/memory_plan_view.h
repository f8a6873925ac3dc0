// The memory that a stage plans as a picture: moments across, pieces of memory from the bottom up, as high as they are
// large where all sizes are known; in each the buffers that lie there, one after the other.
#pragma once

#include <QWidget>

#include "views/models/memory_plan.h"

namespace rx::views {

class MemoryPlanView : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryPlanView(QWidget* parent);
  /// `names`: what each moment is called.
  void setPlan(MemoryPlan plan, std::vector<QString> names);
  /// The binding whose buffers are framed: those of the call that writes what it allocates or names.
  void setSelected(int ordinal);
  /// "15 buffers, 4.61 kB asked for › 7 pieces of memory, 2.16 kB …" and a line a piece with its buffers.
  QString text() const;
  QString summary() const;
  const MemoryPlan& plan() const { return plan_; }
  /// What a moment is called; behind the last one the end.
  QString nameOf(int moment) const;
  /// The moment that the pointer was pressed at last, -1 for none since the plan is there.
  int pointed() const { return pointed_; }
  /// The moment whose buffers are listed beside the picture: a line is drawn there. -1 for none.
  void setMoment(int moment);

 Q_SIGNALS:
  void picked(int ordinal);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QRectF area() const;
  // Places within the area.
  QRectF laneOf(size_t piece, const QRectF& all) const;
  QRectF boxOf(const PlannedBuffer& buffer, const QRectF& all) const;
  double xOf(int moment, const QRectF& all) const;
  const PlannedBuffer* at(QPointF place) const;
  void placeLanes();
  void measure();
  void paintPieces(QPainter& painter, const QRectF& all) const;
  void paintGaps(QPainter& painter, const QRectF& all) const;
  void paintBuffers(QPainter& painter, const QRectF& all) const;
  void paintMoments(QPainter& painter, const QRectF& all) const;
  MemoryPlan plan_;
  std::vector<QString> names_;  // of the moments
  std::vector<double> lanes_;   // where each piece ends, as a part of the height from the bottom
  int widest_ = 0;              // pixels of the longest name of a piece
  int selected_ = -1;
  int pointed_ = -1;
  int moment_ = -1;
};

}  // namespace rx::views
