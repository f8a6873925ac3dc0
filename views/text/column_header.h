// The strip above a text with values: what stands in which column, and the splitter between text and values.
#pragma once

#include <QWidget>

#include "views/theme/palette.h"

namespace rx {

class TextView;

class ColumnHeader : public QWidget {
  Q_OBJECT

 public:
  explicit ColumnHeader(TextView* view);
  void setTheme(const Palette& theme);
  /// What the column of values holds: "value after step 79".
  void setTitle(const QString& title);
  const QString& title() const { return title_; }
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The splitter was dragged to this distance from the left edge; the default width is wanted where it is negative.
  void splitterMoved(int x);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  QString titleWithin(int width) const;
  bool onSplitter(const QPoint& position) const;
  TextView* view_;
  const Palette* theme_;
  QString title_;
  bool dragging_ = false;
};

}  // namespace rx
