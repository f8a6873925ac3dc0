// Names with counts as bars, one of which can be picked.
#pragma once

#include <QWidget>

#include "views/panels/inspector/inspection.h"

namespace rx::views {

class BarList : public QWidget {
  Q_OBJECT

 public:
  explicit BarList(QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  void setBars(const std::vector<InspectionBar>& bars);
  const std::vector<InspectionBar>& bars() const { return bars_; }
  void pick(int bar);
  QSize sizeHint() const override;

 Q_SIGNALS:
  void picked(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int rowHeight() const { return fontMetrics().height() * 5 / 4; }
  Palette palette_;
  std::vector<InspectionBar> bars_;
  int current_ = 0;
  int picked_ = -1;
};

}  // namespace rx::views
