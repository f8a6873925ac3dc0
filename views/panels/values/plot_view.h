// The numbers along one axis of a tensor as a line; of more numbers than pixels the band from smallest to largest.
#pragma once

#include <QWidget>

#include "views/models/debug_rows.h"
#include "views/theme/palette.h"

namespace rx::views {

class PlotView : public QWidget {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  /// A plane of one row; null for none.
  void setLine(const TensorPlane* plane);
  void setMark(qint64 column);
  bool hasLine() const { return plane_.columns > 0; }
  QSize sizeHint() const override;

 Q_SIGNALS:
  void picked(qint64 column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QRectF plot() const;
  Palette palette_;
  TensorPlane plane_;
  qint64 mark_ = -1;
};

}  // namespace rx::views
