// The buffers of a plan that are alive at one of its moments, the largest first, beside the picture of the plan.
#pragma once

#include <QWidget>

#include "views/models/memory_plan.h"

class QLabel;

namespace rx::views {

class ListView;
class MemoryPlanView;
class MomentModel;

class MomentList : public QWidget {
  Q_OBJECT

 public:
  explicit MomentList(QWidget* parent);
  /// Lists what is alive at a moment of the plan that a picture shows.
  void showMoment(const MemoryPlanView& picture, int moment);
  int moment() const { return moment_; }
  /// "Alive at the peak, q_t: 4 buffers, 1.54 kB" and a line a buffer.
  QString text() const;

 Q_SIGNALS:
  void picked(int ordinal);

 private:
  QLabel* title_;
  MomentModel* model_;
  ListView* view_;
  int moment_ = -1;
};

}  // namespace rx::views
