// A plane of a tensor as a picture in which elements can be picked: a heat map or an image.
#pragma once

#include <QImage>
#include <QWidget>

#include "views/panels/values/plane_image.h"

namespace rx::views {

class PlaneView : public QWidget {
  Q_OBJECT

 public:
  enum class Mode : uint8_t { Heat, Image };

  explicit PlaneView(QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  /// Shows one plane, or three as red, green and blue; none where there are none. `mode` is how.
  void setPlanes(const std::vector<const TensorPlane*>& planes, const HeatScale& scale, Mode mode);
  /// The element that is framed, by its row and column in the plane; -1 for none.
  void setMark(qint64 row, qint64 column);
  /// A word below the picture and whether it is the chosen one of several.
  void setCaption(const QString& caption, bool chosen);
  /// What is said in the middle while there is no picture.
  void setEmptyText(const QString& text);
  bool hasPicture() const { return !image_.isNull(); }
  const QImage& image() const { return image_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void picked(qint64 row, qint64 column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void redraw();
  void pickAt(const QPointF& at);
  /// Where the picture stands: its cells are square unless that would make it a thin line.
  QRectF picture() const;
  Palette palette_;
  TensorPlane plane_;
  TensorPlane green_;
  TensorPlane blue_;
  bool colors_ = false;
  HeatScale scale_;
  Mode mode_ = Mode::Heat;
  QImage image_;
  qint64 row_ = -1;
  qint64 column_ = -1;
  QString caption_;
  QString empty_;
  bool chosen_ = false;
};

}  // namespace rx::views
