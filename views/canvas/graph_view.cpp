// Where the canvas looks: fitting, zooming, bringing nodes into sight, and the strips beside the graph.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "views/canvas/graph_canvas.h"
#include "views/canvas/graph_labels.h"

namespace rx {
namespace {

constexpr double kMinScale = 0.002, kMaxScale = 4;
constexpr int kOverviewEms = 20;  // the least room of the graph for an overview beside it

/// How far the view moves, in pixels, so that a node that stands in it and another one are both whole; only along
/// axes where there is room for both.
QPointF besideShift(const QRectF& view, const QRectF& node, const QRectF& other) {
  constexpr double kEdge = 4;
  if (!other.isValid()) return {};
  const QRectF both = node.united(other).adjusted(-kEdge, -kEdge, kEdge, kEdge);
  const auto along = [](double from, double to, double low, double high) {
    if (high - low > to - from) return 0.0;
    return low < from ? low - from : std::max(high - to, 0.0);
  };
  return {along(view.left(), view.right(), both.left(), both.right()),
          along(view.top(), view.bottom(), both.top(), both.bottom())};
}

}  // namespace

void GraphCanvas::followPlaces(const LaidGraph& old) {
  std::unordered_map<std::string_view, uint32_t> before;
  const QRectF seen(origin_, QSizeF(size()) / scale_);
  for (uint32_t n = 0; n < old.model.nodes.size(); ++n)
    if (!old.model.nodes[n].placeKey.empty()) before[old.model.nodes[n].placeKey] = n;
  // The selected node, else the first one on screen, is what the eye holds on to.
  const auto shift = [&](uint32_t from, uint32_t to) {
    const GraphRect &a = old.layout.nodes[from], &b = graph_->layout.nodes[to];
    return QPointF(b.x + b.width / 2 - a.x - a.width / 2, b.y - a.y);
  };
  std::optional<QPointF> found;
  for (uint32_t n = 0; n < graph_->model.nodes.size(); ++n) {
    const auto at = before.find(graph_->model.nodes[n].placeKey);
    if (at == before.end()) continue;
    const GraphRect& box = old.layout.nodes[at->second];
    const bool selected = old.model.nodes[at->second].id == selected_ || graph_->model.nodes[n].id == selected_;
    if (!seen.contains(QPointF(box.x, box.y)) || (found && !selected)) continue;
    found = shift(at->second, n);
    if (selected) break;
  }
  if (found) origin_ += *found;
  settleView();
}

void GraphCanvas::fit() {
  if (!graph_ || graph_->layout.size.width <= 0) return;
  const GraphSize size = graph_->layout.size;
  const QSizeF view(width() - wholeRailWidth(), height());
  scale_ = std::clamp(std::min(view.width() / size.width, view.height() / size.height) * 0.98, kMinScale, 1.0);
  origin_ = QPointF((size.width - view.width() / scale_) / 2, (size.height - view.height() / scale_) / 2);
  fitted_ = true;
  viewMoved_ = false;
  update();
  Q_EMIT scaleChanged();
  Q_EMIT viewMoved();
}

void GraphCanvas::zoomAt(QPointF anchor, double factor) {
  const QPointF scene = toScene(anchor);
  scale_ = std::clamp(scale_ * factor, kMinScale, kMaxScale);
  origin_ = scene - anchor / scale_;
  fitted_ = false;
  viewMoved_ = true;
  clampView();
  update();
  Q_EMIT scaleChanged();
  Q_EMIT viewMoved();
}

void GraphCanvas::zoomBy(double factor) {
  const QRectF at = rectOf(selected_);
  const QPointF middle = viewRect().center();
  const bool holds = at.isValid() && viewRect().contains(at.center());
  zoomAt(holds ? at.center() : middle, factor);
  // The overview comes where the graph is no longer whole in sight, and takes room from the selected node.
  if (holds) reveal(selected_);
}

void GraphCanvas::resetZoom() { zoomBy(1 / scale_); }

/// Keeps at least a part of the graph on screen.
void GraphCanvas::clampView() {
  if (!graph_) return;
  const GraphSize size = graph_->layout.size;
  const double viewWidth = viewRect().width() / scale_, viewHeight = height() / scale_;
  const double keepX = viewWidth * 0.3, keepY = viewHeight * 0.3;
  origin_.setX(
      std::clamp(origin_.x(), std::min(0.0, size.width) - viewWidth + keepX, std::max(0.0, size.width - keepX)));
  origin_.setY(
      std::clamp(origin_.y(), std::min(0.0, size.height) - viewHeight + keepY, std::max(0.0, size.height - keepY)));
}

/// No blank ground where the graph could be: another graph may be smaller than the one that the view was moved over.
void GraphCanvas::settleView() {
  if (!graph_) return;
  const double pad = fontMetrics().height() * 2 / scale_;
  const auto settled = [pad](double origin, double size, double view) {
    return size <= view ? (size - view) / 2 : std::clamp(origin, -pad, size - view + pad);
  };
  origin_.setX(settled(origin_.x(), graph_->layout.size.width, viewRect().width() / scale_));
  origin_.setY(settled(origin_.y(), graph_->layout.size.height, height() / scale_));
}

void GraphCanvas::reveal(uint64_t id) {
  const QRectF at = rectOf(id), whole = viewRect();
  if (!at.isValid() || (fitted_ && whole.contains(at))) return;
  const double margin = std::min<double>(fontMetrics().height() * 3, std::min(whole.width(), whole.height()) / 4.0);
  const QRectF view = whole.adjusted(margin, margin, -margin, -margin);
  if (view.contains(at)) return;
  QPointF shift;
  // From far away it comes to the middle, from nearby the picture moves no more than it must.
  const auto by = [](double low, double high, double from, double to) {
    const double need = low < from ? low - from : high > to ? high - to : 0.0;
    return std::abs(need) > to - from || high - low > to - from ? (low + high - from - to) / 2 : need;
  };
  shift.setX(by(at.left(), at.right(), view.left(), view.right()));
  shift.setY(by(at.top(), at.bottom(), view.top(), view.bottom()));
  origin_ += shift / scale_;
  settleView();
  fitted_ = false;
  update();
  Q_EMIT viewMoved();
}

void GraphCanvas::center(uint64_t id) {
  const QRectF at = rectOf(id), view = viewRect();
  const QRectF middle = view.adjusted(view.width() / 4, view.height() / 4, -view.width() / 4, -view.height() / 4);
  if (!at.isValid() || fitted_) return;
  QPointF shift = middle.contains(at.center()) ? QPointF() : at.center() - view.center();
  shift += besideShift(view, at.translated(-shift), rectOf(selected_).translated(-shift));
  if (shift.isNull()) return;
  origin_ += shift / scale_;
  settleView();
  update();
  Q_EMIT viewMoved();
}

void GraphCanvas::approach(uint64_t id) {
  const QRectF at = rectOf(id);
  if (!at.isValid() || !fitted_ || scale_ >= kReadableScale) return center(id);
  const QPointF middle = toScene(at.center());
  const double whole = scale_;
  scale_ = 1;
  fitted_ = false;
  // With all that stands beside it where labels can still be read then: no node is cut for larger letters.
  const double wide = std::min(viewRect().width() / graph_->layout.size.width * 0.96, 1.0);
  scale_ = wide >= kLegibleScale ? wide : kReadableScale;
  if (scale_ <= whole) {
    scale_ = whole;
    fitted_ = true;
    return;
  }
  origin_ = middle - QPointF(viewRect().width(), height()) / scale_ / 2;
  origin_ += besideShift(viewRect(), rectOf(id), rectOf(selected_)) / scale_;
  settleView();
  update();
  Q_EMIT scaleChanged();
  Q_EMIT viewMoved();
}

GraphAnchor GraphCanvas::anchor() const {
  GraphAnchor anchor{{}, {}, 0, scale_, fitted_};
  if (!graph_ || graph_->layout.size.height <= 0) return anchor;
  const QPointF middle = viewRect().center(), scene = toScene(middle);
  anchor.part = scene.y() / graph_->layout.size.height;
  double nearest = std::numeric_limits<double>::max();
  for (const uint32_t n : graph_->nodeBands.between(origin_.y(), sceneY(height()))) {
    const GraphNode& node = graph_->model.nodes[n];
    const QPointF offset = rectAt(graph_->layout.nodes[n]).center() - middle;
    const bool selected = node.id == selected_ && viewRect().contains(offset + middle);
    const double away = selected ? -1 : offset.manhattanLength();
    if (node.placeKey.empty() || away >= nearest) continue;
    nearest = away, anchor.key = node.placeKey, anchor.offset = offset;
  }
  return anchor;
}

void GraphCanvas::follow(const GraphAnchor& anchor) {
  if (!graph_ || graph_->layout.size.height <= 0) return;
  // Who follows does not lead: only the scale is told.
  const bool blocked = blockSignals(true);
  if (anchor.fitted) {
    fit();
  } else {
    scale_ = anchor.scale;
    const QPointF middle = viewRect().center();
    QPointF at(graph_->layout.size.width / 2, graph_->layout.size.height * anchor.part);
    for (size_t n = 0; !anchor.key.empty() && n < graph_->model.nodes.size(); ++n) {
      const GraphRect& box = graph_->layout.nodes[n];
      if (graph_->model.nodes[n].placeKey != anchor.key || box.width <= 0) continue;
      at = QPointF(box.x + box.width / 2, box.y + box.height / 2) - anchor.offset / scale_;
      break;
    }
    origin_ = at - middle / scale_;
    fitted_ = false;
    viewMoved_ = true;
    clampView();
    update();
  }
  blockSignals(blocked);
  Q_EMIT scaleChanged();
}

bool GraphCanvas::hasOverview(const QSizeF& room) const {
  if (!graph_ || graph_->layout.size.width <= 0 || room.width() < fontMetrics().height() * kOverviewEms) return false;
  const QRectF whole(0, 0, graph_->layout.size.width, graph_->layout.size.height);
  return !QRectF(origin_, room / scale_).contains(whole);
}

bool GraphCanvas::overviewShown() const { return hasOverview(room()); }

double GraphCanvas::wholeRailWidth() const {
  constexpr double kLeastEms = 24, kNarrowest = 7.5, kWidest = 18;
  const double em = fontMetrics().height();
  if (!graph_ || !graph_->hasWeights || width() < em * kLeastEms) return 0;
  return std::clamp(width() * 0.22, em * kNarrowest, em * kWidest);
}

double GraphCanvas::railWidth() const {
  const double rail = wholeRailWidth();
  if (fitted_ || width() - rail >= fontMetrics().height() * kOverviewEms) return rail;
  return hasOverview(size()) ? 0 : rail;
}

QSizeF GraphCanvas::room() const { return {width() - railWidth(), static_cast<double>(height())}; }

/// A narrow graph has a narrow overview: what stands beside the nodes takes no node out of sight.
QRectF GraphCanvas::viewRect() const {
  constexpr double kPart = 0.16, kNarrowest = 3, kWidest = 6;
  const double em = fontMetrics().height();
  const double strip = std::clamp(room().width() * kPart, em * kNarrowest, em * kWidest);
  return {QPointF(), room() - QSizeF(overviewShown() ? strip : 0, 0)};
}

QRectF GraphCanvas::railRect() const {
  return railWidth() > 0 ? QRectF(viewRect().width(), 0, railWidth(), height()) : QRectF();
}

QRectF GraphCanvas::overviewRect() const {
  if (!overviewShown()) return {};
  const double em = fontMetrics().height(), gap = em * 0.6;
  const QRectF strip = QRectF(rect()).adjusted(viewRect().width() + railWidth() + gap, gap, -gap, -gap);
  const GraphSize size = graph_->layout.size;
  const double factor = std::min(strip.width() / size.width, strip.height() / size.height);
  // A long thin graph would leave a hair: it keeps a width that can be clicked.
  const double w = std::max(size.width * factor, em * 1.5), h = std::max(size.height * factor, em * 1.5);
  return {strip.center().x() - w / 2, strip.top(), w, h};
}

void GraphCanvas::jumpInOverview(QPointF position) {
  const QRectF map = overviewRect();
  if (!map.isValid()) return;
  const GraphSize size = graph_->layout.size;
  const QPointF scene((position.x() - map.left()) / map.width() * size.width,
                      (position.y() - map.top()) / map.height() * size.height);
  origin_ = scene - QPointF(viewRect().width(), height()) / scale_ / 2;
  fitted_ = false;
  viewMoved_ = true;
  clampView();
  update();
  Q_EMIT viewMoved();
}

}  // namespace rx
