// Two values that lie in the same bytes at the same time: when each of them was written and read, over the steps of the
// run, with the time that they share.
#pragma once

#include <QWidget>

#include "views/models/bisect_report.h"
#include "views/theme/palette.h"

namespace rx::views {

class LifetimeChart : public QWidget {
  Q_OBJECT

 public:
  explicit LifetimeChart(QWidget* parent = nullptr);
  /// `reader`: who read the value that was overwritten. Hidden where none was.
  void setValue(const OverwrittenValue& value, const QString& reader);
  /// "storage 2, 160 B: left from step 3 until out reads it at 9; right from 6 on; both from 6 to 9".
  QString text() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// Pixels from the left of the moment that is the how manieth of: written, overwritten, read, end.
  double at(int moment) const;
  QString holder() const;
  void paintBar(QPainter& painter, int lane, int from, int to, const QString& name, OpKind kind) const;
  OverwrittenValue value_;
  QString reader_;
};

}  // namespace rx::views
