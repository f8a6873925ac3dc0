// The row of buttons above the graph and the legend below it.
#pragma once

#include <QWidget>
#include <vector>

#include "views/theme/palette.h"

class QLabel;
class QToolButton;

namespace rx::views {

/// Buttons for the panel that they stand in, which may be one of several; says how far the picture is away.
class GraphBar : public QWidget {
  Q_OBJECT

 public:
  explicit GraphBar(QWidget* parent);
  void setScale(double scale);
  /// "315 bindings, 204 folded into edges", at the left.
  void setSummary(const QString& text);
  void setTheme(const Palette& palette);

 Q_SIGNALS:
  /// A command of the panel: "fit".
  void wanted(const QString& command);

 private:
  std::vector<QToolButton*> buttons_;
  QLabel* summary_;
  QLabel* scale_;
};

/// The kinds with their marks in one line.
class GraphLegend : public QWidget {
  Q_OBJECT

 public:
  explicit GraphLegend(QWidget* parent);
  void setTheme(const Palette& palette);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Palette theme_;
};

}  // namespace rx::views
