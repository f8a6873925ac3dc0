// The row of buttons above the graph and the legend below it.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "views/theme/palette.h"

class QLabel;
class QPainter;
class QToolButton;

namespace rx::views {

/// Buttons for the panel that they stand in, which may be one of several; says how far the picture is away.
class GraphBar : public QWidget {
  Q_OBJECT

 public:
  explicit GraphBar(QWidget* parent);
  void setScale(double scale);
  /// "204 of 315 bindings in the edges", at the left; the brief form, "315 bindings", where there is no room for it.
  void setSummary(const QString& text, const QString& brief);

 Q_SIGNALS:
  /// A command of the panel: "fit".
  void wanted(const QString& command);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showSummary();
  std::vector<QToolButton*> buttons_;
  QLabel* summary_;
  QString text_;   // the whole summary
  QString brief_;  // the same in fewer words
  QLabel* scale_;
};

/// The kinds with their marks in one line, or what the colours of changes mean.
class GraphLegend : public QWidget {
  Q_OBJECT

 public:
  explicit GraphLegend(QWidget* parent);
  void setTheme(const Palette& palette);
  void showChanges(bool shown);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// A mark, drawn into a square, with its name.
  struct Entry {
    QString name;
    std::function<void(QPainter&, const QRectF&)> mark;
  };
  std::vector<Entry> entries() const;
  /// Where they begin in rows of that width, in pixels.
  std::vector<QPointF> placesOf(const std::vector<Entry>& entries, int width) const;
  QFont smallFont() const;
  int rowHeight() const { return fontMetrics().height() * 5 / 4; }
  Palette theme_;
  bool changes_ = false;
};

}  // namespace rx::views
