// State of the canvas: layout jobs, selection, view; graph_painter.cpp draws it, graph_input.cpp hears keys and mouse.
#include "views/canvas/graph_canvas.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "views/canvas/graph_accessible.h"

namespace rx {

struct GraphCanvas::Job {
  CancelToken cancel;
};

namespace {

constexpr double kMinScale = 0.002, kMaxScale = 4;

std::shared_ptr<const LaidGraph> indexed(GraphModel model, GraphLayout layout) {
  auto graph = std::make_shared<LaidGraph>();
  const double height = layout.size.height;
  graph->nodeBands = BandIndex(height, layout.nodes.size());
  graph->edgeBands = BandIndex(height, layout.edges.size());
  graph->stubBands = BandIndex(height, layout.stubs.size());
  for (uint32_t n = 0; n < model.nodes.size(); ++n) {
    graph->indexOf[model.nodes[n].id] = n;
    if (layout.nodes[n].width > 0) graph->nodeBands.add(n, layout.nodes[n].y, layout.nodes[n].bottom());
  }
  for (uint32_t e = 0; e < layout.edges.size(); ++e) {
    const auto& points = layout.edges[e].points;
    const auto [low, high] = std::minmax(points.front().y, points.back().y);
    graph->edgeBands.add(e, low, high);
  }
  for (uint32_t s = 0; s < layout.stubs.size(); ++s)
    graph->stubBands.add(s, layout.stubs[s].box.y, layout.stubs[s].box.bottom());
  graph->inputs.resize(model.nodes.size());
  graph->outputs.resize(model.nodes.size());
  for (const GraphEdge& edge : model.edges) {
    graph->outputs[edge.from].push_back(edge.to);
    graph->inputs[edge.to].push_back(edge.from);
  }
  graph->model = std::move(model);
  graph->layout = std::move(layout);
  return graph;
}

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent), theme_(Palette::forQt(palette())) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Dataflow graph"));
  installGraphAccessibility();
}

GraphCanvas::~GraphCanvas() { cancelLayout(); }

QSize GraphCanvas::sizeHint() const { return {fontMetrics().averageCharWidth() * 70, fontMetrics().height() * 30}; }

void GraphCanvas::setTheme(const Palette& palette) {
  theme_ = palette;
  update();
}

void GraphCanvas::setPlaceholder(const QString& text) {
  placeholder_ = text;
  update();
}

GraphMetrics GraphCanvas::measure(const GraphModel& model) const {
  const QFontMetricsF title(font());
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.85);
  const QFontMetricsF subtitle(small);
  const double em = title.height();
  GraphMetrics metrics;
  metrics.options.nodeGap = em * 1.1;
  metrics.options.rankGap = em * 1.5;
  metrics.options.regionPad = em * 0.8;
  metrics.options.regionTitle = em * 1.2;
  metrics.sizes.reserve(model.nodes.size());
  // Names are measured by their letters: 10,000 exact measurements would be the slowest part of a layout.
  auto width = [](const QFontMetricsF& font, const std::string& text) {
    if (text.size() > 60) return font.averageCharWidth() * 60;
    return font.horizontalAdvance(QString::fromStdString(text));
  };
  const bool many = model.nodes.size() > 2000;
  for (const GraphNode& node : model.nodes) {
    // What lies in a buffer says its bytes there; its shape is in the tip.
    const std::string second = node.chip.empty() ? node.subtitle : std::string();
    const double text = many ? std::max(title.averageCharWidth() * 1.15 * static_cast<double>(node.title.size()),
                                        subtitle.averageCharWidth() * 1.15 * static_cast<double>(second.size()))
                             : std::max(width(title, node.title) * 1.06, width(subtitle, second));
    const double lines = title.height() + (second.empty() ? 0 : subtitle.height());
    // Room for the mark of the kind at the left, and for the button of a folded block at the right.
    const double marks = em * (node.count > 1 ? 3.2 : 1.8);
    metrics.sizes.push_back({std::clamp(text + marks, em * 4, em * 28), lines + em * 0.4});
    const double label = many ? subtitle.averageCharWidth() * 1.15 * static_cast<double>(node.title.size())
                              : width(subtitle, node.title);
    metrics.stubSizes.push_back({std::min(label + em * 0.8, em * 14), subtitle.height() + em * 0.1});
    if (node.chip.empty()) {
      metrics.chipSizes.push_back({});
    } else {
      const double chip = many ? subtitle.averageCharWidth() * 1.15 * static_cast<double>(node.chip.size())
                               : width(subtitle, node.chip);
      metrics.chipSizes.push_back({std::min(chip + em * 1.2, em * 20), subtitle.height() + em * 0.1});
    }
  }
  if (places_.empty()) return metrics;
  for (const GraphNode& node : model.nodes) {
    const auto place = places_.find(node.placeKey);
    metrics.wishes.push_back(place == places_.end() ? std::numeric_limits<double>::quiet_NaN() : place->second);
  }
  return metrics;
}

void GraphCanvas::setModel(GraphModel model, bool keepView) {
  if (!keepView) places_.clear();
  startLayout(std::move(model), keepView);
}

void GraphCanvas::keepPlaces() {
  for (size_t n = 0; n < graph_->model.nodes.size(); ++n) {
    const GraphRect& box = graph_->layout.nodes[n];
    if (!graph_->model.nodes[n].placeKey.empty() && box.width > 0)
      places_.try_emplace(graph_->model.nodes[n].placeKey, box.x + box.width / 2);
  }
}

void GraphCanvas::startLayout(GraphModel model, bool keepView) {
  cancelLayout();
  if (const std::string fault = model.fault(); !fault.empty()) {
    placeholder_ = tr("This graph can not be drawn: %1").arg(QString::fromStdString(fault));
    model = {};
  }
  auto job = std::make_shared<Job>();
  job_ = job;
  GraphMetrics metrics = measure(model);
  QThreadPool::globalInstance()->start(
      [this, job, keepView, model = std::move(model), metrics = std::move(metrics)]() mutable {
        auto layout = layoutGraph(model, metrics, job->cancel);
        std::shared_ptr<const LaidGraph> graph;
        if (layout) graph = indexed(std::move(model), std::move(*layout));
        // Cancelling, which the destructor does too, and accepting both happen on the thread of the widgets, so `this`
        // is alive where the job was not cancelled.
        if (job->cancel.cancelled() || !qApp) return;
        QMetaObject::invokeMethod(qApp, [this, job, graph, keepView] {
          if (job->cancel.cancelled()) return;
          accept(graph, keepView);
        });
      });
  Q_EMIT busyChanged();
  update();
}

void GraphCanvas::cancelLayout() {
  if (!job_) return;
  job_->cancel.cancel();
  job_.reset();
}

void GraphCanvas::accept(std::shared_ptr<const LaidGraph> graph, bool keepView) {
  const std::shared_ptr<const LaidGraph> old = std::move(graph_);
  const bool first = !old || old->model.nodes.empty();
  job_.reset();
  graph_ = std::move(graph);
  hovered_ = 0;
  keepPlaces();
  find(findText_);
  // Where the user has chosen a view it stays; nobody has chosen one of a graph that was never seen.
  if (!keepView || first) viewMoved_ = false;
  if (viewMoved_) {
    followPlaces(*old);
  } else {
    fit();
  }
  update();
  Q_EMIT busyChanged();
  Q_EMIT layoutChanged();
}

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
  scale_ = std::clamp(std::min(width() / size.width, height() / size.height) * 0.98, kMinScale, 1.0);
  origin_ = QPointF((size.width - width() / scale_) / 2, (size.height - height() / scale_) / 2);
  fitted_ = true;
  update();
  Q_EMIT scaleChanged();
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
}

void GraphCanvas::zoomBy(double factor) {
  const QRectF at = rectOf(selected_);
  const QPointF middle = viewRect().center();
  zoomAt(at.isValid() && viewRect().contains(at.center()) ? at.center() : middle, factor);
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
    return size + 2 * pad <= view ? (size - view) / 2 : std::clamp(origin, -pad, size - view + pad);
  };
  origin_.setX(settled(origin_.x(), graph_->layout.size.width, viewRect().width() / scale_));
  origin_.setY(settled(origin_.y(), graph_->layout.size.height, height() / scale_));
}

void GraphCanvas::setSelected(uint64_t id) {
  if (selected_ == id) return;
  selected_ = id;
  if (graph_) reveal(id);
  update();
}

void GraphCanvas::setMarks(std::unordered_map<uint64_t, NodeMark> marks) {
  marks_ = std::move(marks);
  update();
}

const NodeMark* GraphCanvas::mark(uint64_t id) const {
  auto it = marks_.find(id);
  return it == marks_.end() ? nullptr : &it->second;
}

void GraphCanvas::setTints(std::unordered_map<uint64_t, NodeTint> tints) {
  tints_ = std::move(tints);
  update();
}

const NodeTint* GraphCanvas::tint(uint64_t id) const {
  auto it = tints_.find(id);
  return it == tints_.end() ? nullptr : &it->second;
}

int GraphCanvas::find(const QString& text) {
  findText_ = text;
  found_.clear();
  if (graph_ && !text.isEmpty()) {
    for (uint32_t n = 0; n < graph_->model.nodes.size(); ++n) {
      const GraphNode& node = graph_->model.nodes[n];
      if (QString::fromStdString(node.title).contains(text, Qt::CaseInsensitive) ||
          QString::fromStdString(node.subtitle).contains(text, Qt::CaseInsensitive))
        found_.push_back(n);
    }
  }
  update();
  return static_cast<int>(found_.size());
}

bool GraphCanvas::findNext(int direction) {
  if (found_.empty() || !graph_) return false;
  auto at = graph_->indexOf.find(selected_);
  const int64_t from = at == graph_->indexOf.end() ? -1 : int64_t(at->second);
  if (direction > 0) {
    auto it = std::upper_bound(found_.begin(), found_.end(), from, [](int64_t a, uint32_t b) { return a < b; });
    select(it == found_.end() ? found_.front() : *it);
  } else {
    auto it = std::lower_bound(found_.begin(), found_.end(), from, [](uint32_t a, int64_t b) { return a < b; });
    select(it == found_.begin() ? found_.back() : *std::prev(it));
  }
  return true;
}

QRectF GraphCanvas::rectOf(uint64_t id) const {
  if (!graph_) return {};
  auto it = graph_->indexOf.find(id);
  if (it == graph_->indexOf.end()) return {};
  GraphRect box = graph_->layout.nodes[it->second];
  if (box.width <= 0) {
    auto stub = std::find_if(graph_->layout.stubs.begin(), graph_->layout.stubs.end(),
                             [&](const StubBox& s) { return s.source == it->second; });
    if (stub == graph_->layout.stubs.end()) return {};
    box = stub->box;
  }
  return {(box.x - origin_.x()) * scale_, (box.y - origin_.y()) * scale_, box.width * scale_, box.height * scale_};
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
}

void GraphCanvas::center(uint64_t id) {
  const QRectF at = rectOf(id), view = viewRect();
  const QRectF middle = view.adjusted(view.width() / 4, view.height() / 4, -view.width() / 4, -view.height() / 4);
  if (!at.isValid() || fitted_ || middle.contains(at.center())) return;
  origin_ += (at.center() - view.center()) / scale_;
  settleView();
  update();
}

uint64_t GraphCanvas::idAt(QPointF position) const {
  if (!graph_) return 0;
  const QPointF at = toScene(position);
  auto inside = [&](const GraphRect& box) {
    return at.x() >= box.x && at.x() < box.right() && at.y() >= box.y && at.y() < box.bottom();
  };
  for (uint32_t n : graph_->nodeBands.between(at.y(), at.y()))
    if (inside(graph_->layout.nodes[n])) return graph_->model.nodes[n].id;
  for (uint32_t s : graph_->stubBands.between(at.y(), at.y()))
    if (inside(graph_->layout.stubs[s].box)) return graph_->model.nodes[graph_->layout.stubs[s].source].id;
  return 0;
}

QString GraphCanvas::nodeDescription(uint32_t index) const {
  const GraphNode& node = graph_->model.nodes[index];
  QStringList parts{QString::fromStdString(node.title)};
  const NodeMark* state = mark(node.id);
  const QString subtitle = state && !state->note.isEmpty() ? state->note : QString::fromStdString(node.subtitle);
  if (!subtitle.isEmpty()) parts += subtitle;
  const std::string_view kind = opKindName(node.kind);
  parts += QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
  if (node.impure) parts += tr("impure");
  if (!node.chip.empty()) parts += QString::fromStdString(node.chip);
  if (const NodeTint* shade = tint(node.id); shade && !shade->note.isEmpty()) parts += shade->note;
  if (state && state->error) parts += tr("error");
  if (state && state->current) parts += tr("current");
  if (state && state->breakpoint) parts += tr("breakpoint");
  return parts.join(QStringLiteral(", "));
}

QRectF GraphCanvas::rectAt(const GraphRect& box) const {
  return {(box.x - origin_.x()) * scale_, (box.y - origin_.y()) * scale_, box.width * scale_, box.height * scale_};
}

QRectF GraphCanvas::foldButtonOf(const QRectF& box) const {
  const double size = fontMetrics().height() * 0.9 * scale_, gap = size * 0.3;
  return {box.right() - size - gap, box.top() + gap, size, size};
}

uint64_t GraphCanvas::foldButtonAt(QPointF position) const {
  if (!graph_) return 0;
  for (const GraphRegion& region : graph_->model.regions) {
    const auto index = static_cast<size_t>(&region - graph_->model.regions.data());
    if (region.foldId && foldButtonOf(rectAt(graph_->layout.regions[index])).contains(position)) return region.foldId;
  }
  const auto node = graph_->indexOf.find(idAt(position));
  if (node == graph_->indexOf.end() || graph_->model.nodes[node->second].count < 2) return 0;
  return foldButtonOf(rectAt(graph_->layout.nodes[node->second])).contains(position) ? node->first : 0;
}

/// Where some of the graph is out of sight, in a panel that has room for both.
bool GraphCanvas::overviewShown() const {
  constexpr int kLeastEms = 20;
  if (!graph_ || graph_->layout.size.width <= 0 || width() < fontMetrics().height() * kLeastEms) return false;
  const QRectF whole(0, 0, graph_->layout.size.width, graph_->layout.size.height);
  return !QRectF(origin_, QSizeF(size()) / scale_).contains(whole);
}

QRectF GraphCanvas::viewRect() const {
  return QRectF(rect()).adjusted(0, 0, overviewShown() ? -fontMetrics().height() * 6.0 : 0, 0);
}

QRectF GraphCanvas::overviewRect() const {
  if (!overviewShown()) return {};
  const double em = fontMetrics().height(), gap = em * 0.6;
  const QRectF strip = QRectF(rect()).adjusted(viewRect().width() + gap, gap, -gap, -gap);
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
}

}  // namespace rx
