// Keys, mouse and hovering of the graph canvas.
#include <QContextMenuEvent>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/canvas/graph_canvas.h"
#include "views/canvas/graph_lit.h"
#include "views/canvas/weight_rail.h"

namespace rx {

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  pressAt_ = event->position();
  pressOrigin_ = origin_;
  const QRectF map = overviewRect();
  if (map.isValid() && map.adjusted(-4, -4, 4, 4).contains(pressAt_)) {
    drag_ = Drag::Overview;
    return jumpInOverview(pressAt_);
  }
  for (const LitPill& pill : litPills(*this))
    if (pill.rect.contains(pressAt_)) return select(pill.nearest);
  if (railRect().contains(pressAt_)) return pressRail(pressAt_);
  drag_ = Drag::Pending;
}

/// A single weight is what is selected; of several the node that reads them.
void GraphCanvas::pressRail(QPointF position) {
  for (const RailRow& row : railRows(*this)) {
    if (!row.rect.contains(position)) continue;
    const GraphNode& node = graph_->model.nodes[row.nodes.front()];
    selected_ = row.weights == 1 ? node.weights.front().id : node.id;
    update();
    Q_EMIT nodeActivated(selected_);
    return;
  }
}

QString GraphCanvas::tipAt(QPointF position) const {
  if (!graph_) return {};
  for (const RailRow& row : railRows(*this))
    if (row.rect.contains(position)) return railTip(*this, row);
  const auto at = graph_->indexOf.find(idAt(position));
  if (at == graph_->indexOf.end()) return {};
  QString tip = nodeDescription(at->second);
  if (!graph_->model.nodes[at->second].weights.empty()) {
    RailRow own;
    own.nodes = {at->second};
    tip += QLatin1Char('\n') + railTip(*this, own).section(QLatin1Char('\n'), 1);
  }
  return tip;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - pressAt_;
  if (drag_ == Drag::Overview) return jumpInOverview(event->position());
  if (drag_ == Drag::Pending && moved.manhattanLength() > fontMetrics().height() / 3.0) {
    drag_ = Drag::Pan;
    setCursor(Qt::ClosedHandCursor);
  }
  if (drag_ == Drag::Pan) {
    origin_ = pressOrigin_ - moved / scale_;
    fitted_ = false;
    viewMoved_ = true;
    clampView();
    update();
    Q_EMIT viewMoved();
    return;
  }
  const uint64_t id = idAt(event->position());
  if (id == hovered_) return;
  hovered_ = id;
  setCursor(id ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
  Q_EMIT nodeHovered(id);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag was = drag_;
  drag_ = Drag::None;
  unsetCursor();
  if (was != Drag::Pending || event->button() != Qt::LeftButton) return;
  if (const uint64_t fold = foldButtonAt(event->position())) {
    Q_EMIT foldClicked(fold);
    return;
  }
  const uint64_t id = idAt(event->position());
  if (!id) return;
  selected_ = id;
  update();
  Q_EMIT nodeActivated(id);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (foldButtonAt(event->position())) return mousePressEvent(event);
  const uint64_t id = idAt(event->position());
  if (id) Q_EMIT nodeEntered(id);
}

void GraphCanvas::leaveEvent(QEvent*) {
  if (!hovered_) return;
  hovered_ = 0;
  update();
  Q_EMIT nodeHovered(0);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  // Wheel with Ctrl and a pinch zoom, a wheel alone scrolls: what documents do on this desktop.
  if (event->modifiers() & Qt::ControlModifier)
    return zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
  QPointF delta = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 120.0 * fontMetrics().height() * 3
                                               : QPointF(event->pixelDelta());
  if (event->modifiers() & Qt::ShiftModifier) delta = QPointF(delta.y(), delta.x());
  origin_ -= delta / scale_;
  fitted_ = false;
  viewMoved_ = true;
  clampView();
  update();
  Q_EMIT viewMoved();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  const bool mouse = event->reason() == QContextMenuEvent::Mouse;
  const QPoint at = mouse ? event->globalPos() : mapToGlobal(rectOf(selected_).center().toPoint());
  Q_EMIT contextMenuAt(at, mouse ? idAt(QPointF(event->pos())) : selected_);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (fitted_ || (graph_ && !viewMoved_)) return fit();
  clampView();
}

void GraphCanvas::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange && graph_) setModel(GraphModel(graph_->model), true);
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && graph_) {
    auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(),
                       tipAt(QPointF(help->pos())).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")),
                       this);
    return true;
  }
  return QWidget::event(event);
}

void GraphCanvas::select(uint32_t index) {
  const uint64_t id = graph_->model.nodes[index].id;
  setSelected(id);
  reveal(id);
  Q_EMIT nodeActivated(id);
}

/// The node that an arrow key means: along the edges upwards and downwards, to the nearest one at the same height
/// sideways. Without an edge that way, the nearest node in that direction.
uint32_t GraphCanvas::neighbour(uint32_t from, Qt::Key key) const {
  const auto& boxes = graph_->layout.nodes;
  const GraphRect& at = boxes[from];
  const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
  const double sign = key == Qt::Key_Down || key == Qt::Key_Right ? 1 : -1;
  auto distance = [&](uint32_t n) {
    const double dx = boxes[n].x + boxes[n].width / 2 - at.x - at.width / 2;
    const double dy = boxes[n].y + boxes[n].height / 2 - at.y - at.height / 2;
    const double along = (vertical ? dy : dx) * sign, across = std::abs(vertical ? dx : dy);
    return along <= 0 || boxes[n].width <= 0 ? -1.0 : along + across * (vertical ? 0.5 : 8);
  };
  uint32_t best = from;
  double nearest = -1;
  auto consider = [&](uint32_t n) {
    const double d = distance(n);
    if (d >= 0 && (nearest < 0 || d < nearest)) nearest = d, best = n;
  };
  if (vertical)
    for (uint32_t n : key == Qt::Key_Down ? graph_->outputs[from] : graph_->inputs[from]) consider(n);
  if (best == from)
    for (uint32_t n = 0; n < boxes.size(); ++n) consider(n);
  return best;
}

void GraphCanvas::moveSelection(Qt::Key key) {
  if (!graph_ || graph_->model.nodes.empty()) return;
  auto it = graph_->indexOf.find(selected_);
  if (it != graph_->indexOf.end() && graph_->layout.nodes[it->second].width > 0)
    return select(neighbour(it->second, key));
  for (uint32_t n = 0; n < graph_->model.nodes.size(); ++n)
    if (graph_->layout.nodes[n].width > 0) return select(n);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  struct Row {
    QKeyCombination keys;
    void (*run)(GraphCanvas&);
  };
  static const Row kRows[] = {
      {Qt::Key_Space, [](GraphCanvas& c) { c.fit(); }},
      {Qt::Key_Plus, [](GraphCanvas& c) { c.zoomBy(1.25); }},
      {Qt::Key_Equal, [](GraphCanvas& c) { c.zoomBy(1.25); }},
      {Qt::Key_Minus, [](GraphCanvas& c) { c.zoomBy(0.8); }},
      {Qt::ALT | Qt::Key_Equal, [](GraphCanvas& c) { c.zoomBy(1.25); }},
      {Qt::ALT | Qt::Key_Minus, [](GraphCanvas& c) { c.zoomBy(0.8); }},
      {Qt::SHIFT | Qt::Key_Up, [](GraphCanvas& c) { c.zoomBy(1.25); }},
      {Qt::SHIFT | Qt::Key_Down, [](GraphCanvas& c) { c.zoomBy(0.8); }},
      {Qt::SHIFT | Qt::Key_Backspace, [](GraphCanvas& c) { c.resetZoom(); }},
      {Qt::Key_0, [](GraphCanvas& c) { c.resetZoom(); }},
      {Qt::Key_F, [](GraphCanvas& c) { c.reveal(c.selected_); }},
      {Qt::Key_A, [](GraphCanvas& c) { Q_EMIT c.machineWanted(); }},
      {Qt::Key_W, [](GraphCanvas& c) { Q_EMIT c.weightsWanted(); }},
      {Qt::Key_F3, [](GraphCanvas& c) { c.findNext(1); }},
      {Qt::SHIFT | Qt::Key_F3, [](GraphCanvas& c) { c.findNext(-1); }},
      {Qt::Key_Return,
       [](GraphCanvas& c) {
         if (c.selected_) Q_EMIT c.nodeEntered(c.selected_);
       }},
      {Qt::Key_Enter,
       [](GraphCanvas& c) {
         if (c.selected_) Q_EMIT c.nodeEntered(c.selected_);
       }},
  };
  const QKeyCombination keys(event->modifiers() & ~Qt::KeypadModifier, Qt::Key(event->key()));
  for (const Row& row : kRows)
    if (row.keys == keys) return row.run(*this);
  for (Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right})
    if (keys == QKeyCombination(key)) return moveSelection(key);
  QWidget::keyPressEvent(event);
}

}  // namespace rx
