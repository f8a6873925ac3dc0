#include "views/panels/values/plane_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "views/models/numbers.h"

namespace rx::views {

PlaneView::PlaneView(QWidget* parent) : QWidget(parent), palette_(Palette::forQt(palette())) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Heat map"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PlaneView::setTheme(const Palette& palette) {
  palette_ = palette;
  redraw();
}

void PlaneView::setPlanes(const std::vector<const TensorPlane*>& planes, const HeatScale& scale, Mode mode) {
  const bool there = !planes.empty() && std::none_of(planes.begin(), planes.end(), [](auto* p) { return !p; });
  plane_ = there ? *planes[0] : TensorPlane();
  colors_ = there && planes.size() == 3;
  if (colors_) {
    green_ = *planes[1];
    blue_ = *planes[2];
  }
  scale_ = scale;
  mode_ = mode;
  setAccessibleName(mode == Mode::Heat ? tr("Heat map") : tr("Image"));
  redraw();
}

void PlaneView::redraw() {
  image_ = plane_.rows == 0      ? QImage()
           : mode_ == Mode::Heat ? heatImage(plane_, scale_, palette_)
           : colors_             ? colorImage(plane_, green_, blue_, scale_, palette_)
                                 : grayImage(plane_, scale_, palette_);
  update();
}

void PlaneView::setMark(qint64 row, qint64 column) {
  row_ = row;
  column_ = column;
  update();
}

void PlaneView::setCaption(const QString& caption, bool chosen) {
  caption_ = caption;
  chosen_ = chosen;
  setAccessibleDescription(caption);
  update();
}

void PlaneView::setEmptyText(const QString& text) {
  empty_ = text;
  update();
}

QSize PlaneView::sizeHint() const { return {fontMetrics().height() * 12, fontMetrics().height() * 8}; }
QSize PlaneView::minimumSizeHint() const { return {fontMetrics().height() * 2, fontMetrics().height() * 2}; }

QRectF PlaneView::picture() const {
  const double below = caption_.isEmpty() ? 0 : fontMetrics().height() * 1.15;
  const QRectF room = QRectF(rect()).adjusted(2, 2, -2, -2 - below);
  if (plane_.rows == 0 || room.isEmpty()) return room;
  const double ratio =
      static_cast<double>(plane_.fullColumns) / static_cast<double>(std::max<qint64>(1, plane_.fullRows));
  constexpr double kThin = 6;
  if (mode_ == Mode::Heat && (ratio > kThin || ratio < 1 / kThin)) return room;
  const double wide = std::min(room.width(), room.height() * ratio), high = wide / ratio;
  return {room.left() + (caption_.isEmpty() ? 0 : (room.width() - wide) / 2), room.top(), wide, high};
}

void PlaneView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (image_.isNull()) {
    painter.setPen(palette_.grey);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, empty_);
    return;
  }
  const QRectF box = picture();
  // Fewer pixels than cells are averaged, more are squares.
  painter.setRenderHint(QPainter::SmoothPixmapTransform, box.width() < image_.width());
  painter.drawImage(box, image_);
  paintBadCells(painter, plane_, box, palette_);
  painter.setPen(QPen(chosen_ || hasFocus() ? palette_.accent : palette_.border, chosen_ || hasFocus() ? 2 : 1));
  painter.drawRect(box.adjusted(-1, -1, 1, 1));
  if (row_ >= 0 && column_ >= 0 && row_ < plane_.fullRows && column_ < plane_.fullColumns) {
    const double wide = box.width() / static_cast<double>(plane_.fullColumns);
    const double high = box.height() / static_cast<double>(plane_.fullRows);
    QRectF cell(box.left() + static_cast<double>(column_) * wide, box.top() + static_cast<double>(row_) * high, wide,
                high);
    if (cell.width() < 5 || cell.height() < 5) cell = QRectF(cell.center() - QPointF(3, 3), QSizeF(6, 6));
    painter.setPen(QPen(palette_.base, 3));
    painter.drawRect(cell);
    painter.setPen(QPen(palette_.accent, 1.6));
    painter.drawRect(cell);
  }
  if (caption_.isEmpty()) return;
  QFont font = painter.font();
  font.setBold(chosen_);
  painter.setFont(font);
  painter.setPen(chosen_ ? palette_.text : palette_.grey);
  painter.drawText(QRectF(0, height() - fontMetrics().height() * 1.1, width(), fontMetrics().height()), Qt::AlignCenter,
                   caption_);
}

void PlaneView::pickAt(const QPointF& at) {
  const QRectF box = picture();
  if (image_.isNull() || box.isEmpty()) return;
  const auto part = [](double x, double length, qint64 count) {
    return std::clamp<qint64>(static_cast<qint64>(x / length * static_cast<double>(count)), 0, count - 1);
  };
  Q_EMIT picked(part(at.y() - box.top(), box.height(), plane_.fullRows),
                part(at.x() - box.left(), box.width(), plane_.fullColumns));
}

void PlaneView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) return pickAt(event->position());
  QWidget::mousePressEvent(event);
}

void PlaneView::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) pickAt(event->position());
}

void PlaneView::keyPressEvent(QKeyEvent* event) {
  struct Move {
    int key, rows, columns;
  };
  static constexpr Move kMoves[] = {
      {Qt::Key_Up, -1, 0}, {Qt::Key_Down, 1, 0}, {Qt::Key_Left, 0, -1}, {Qt::Key_Right, 0, 1}};
  for (const Move& move : kMoves) {
    if (event->key() != move.key || image_.isNull()) continue;
    return Q_EMIT picked(std::clamp<qint64>(row_ + move.rows, 0, plane_.fullRows - 1),
                         std::clamp<qint64>(column_ + move.columns, 0, plane_.fullColumns - 1));
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    return Q_EMIT picked(std::max<qint64>(row_, 0), std::max<qint64>(column_, 0));
  QWidget::keyPressEvent(event);
}

}  // namespace rx::views
