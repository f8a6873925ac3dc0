// State of the canvas: layout jobs, selection, what is found; graph_view.cpp is where it looks, graph_painter.cpp draws
// it, graph_input.cpp hears keys and mouse.
#include "views/canvas/graph_canvas.h"

#include <QCoreApplication>
#include <QThreadPool>
#include <algorithm>
#include <unordered_set>

#include "views/canvas/graph_accessible.h"
#include "views/canvas/graph_measure.h"
#include "views/theme/qt_text.h"

namespace rx {

struct GraphCanvas::Job {
  CancelToken cancel;
};

namespace {

void sumWeights(const GraphModel& model, LaidGraph* graph) {
  std::unordered_set<uint64_t> seen;
  for (const GraphNode& node : model.nodes) {
    int64_t sum = 0;
    for (const GraphWeight& weight : node.weights) {
      graph->hasWeights = true;
      if (weight.bytes < 0) continue;
      sum += weight.bytes;
      if (seen.insert(weight.id).second) graph->weightBytes += weight.bytes;
    }
    graph->mostWeight = std::max(graph->mostWeight, sum);
  }
}

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
  sumWeights(model, graph.get());
  graph->model = std::move(model);
  graph->layout = std::move(layout);
  return graph;
}

/// Where the nodes of the first graph that was shown stand; later ones add what they alone have.
std::shared_ptr<const GraphPlaces> placesOf(const GraphModel& model, const GraphLayout& layout,
                                            const std::shared_ptr<const GraphPlaces>& before) {
  auto places = before ? std::make_shared<GraphPlaces>(*before) : std::make_shared<GraphPlaces>();
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const GraphRect& box = layout.nodes[n];
    if (!model.nodes[n].placeKey.empty() && box.width > 0)
      places->try_emplace(model.nodes[n].placeKey, box.x + box.width / 2);
  }
  return places;
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
  overview_ = {};
  update();
}

void GraphCanvas::setPlaceholder(const QString& text) {
  placeholder_ = text;
  update();
}

QString GraphCanvas::sizeText(int64_t bytes) const {
  return sizeText_ ? sizeText_(bytes) : QStringLiteral("%1 B").arg(bytes);
}

void GraphCanvas::setWeightLabels(bool shown) {
  if (weightLabels_ == shown) return;
  weightLabels_ = shown;
  if (graph_) startLayout(GraphModel(graph_->model), true);
}

void GraphCanvas::setModel(GraphModel model, bool keepView) {
  if (!keepView) places_.reset();
  startLayout(std::move(model), keepView);
}

void GraphCanvas::startLayout(GraphModel model, bool keepView) {
  cancelLayout();
  auto job = std::make_shared<Job>();
  job_ = job;
  const GraphMeasure measure{font(), weightLabels_, sizeText_, places_};
  QThreadPool::globalInstance()->start([this, job, keepView, measure, model = std::move(model)]() mutable {
    Laid laid;
    laid.fault = model.fault();
    if (!laid.fault.empty()) model = {};
    auto layout = layoutGraph(model, measure.of(model), job->cancel);
    if (layout) {
      laid.places = placesOf(model, *layout, measure.places);
      laid.graph = indexed(std::move(model), std::move(*layout));
    }
    // Cancelling, which the destructor does too, and accepting both happen on the thread of the widgets, so `this`
    // is alive where the job was not cancelled.
    if (job->cancel.cancelled() || !qApp) return;
    QMetaObject::invokeMethod(qApp, [this, job, laid = std::move(laid), keepView] {
      if (job->cancel.cancelled()) return;
      accept(laid, keepView);
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

void GraphCanvas::accept(const Laid& laid, bool keepView) {
  std::shared_ptr<const LaidGraph> old = std::move(graph_);
  const bool first = !old || old->model.nodes.empty();
  job_.reset();
  graph_ = laid.graph;
  far_.reset();
  places_ = laid.places;
  if (!laid.fault.empty()) placeholder_ = tr("This graph can not be drawn: %1").arg(QString::fromStdString(laid.fault));
  hovered_ = 0;
  overview_ = {};
  find(findText_);
  findLit();
  // Where the user has chosen a view it stays; nobody has chosen one of a graph that was never seen.
  if (!keepView || first) viewMoved_ = false;
  if (viewMoved_) {
    followPlaces(*old);
  } else {
    fit();
  }
  update();
  // To free many nodes takes longer than a window may stand still.
  QThreadPool::globalInstance()->start([old = std::move(old)]() mutable { old.reset(); });
  Q_EMIT busyChanged();
  Q_EMIT layoutChanged();
}

void GraphCanvas::setSelected(uint64_t id) {
  if (selected_ == id) return;
  selected_ = id;
  if (graph_) reveal(id);
  update();
}

void GraphCanvas::setMarks(std::unordered_map<uint64_t, NodeMark> marks, std::function<QString(uint64_t id)> noteOf) {
  marks_ = std::move(marks);
  noteOf_ = std::move(noteOf);
  overview_ = {};
  update();
}

const NodeMark* GraphCanvas::mark(uint64_t id) const {
  auto it = marks_.find(id);
  if (it == marks_.end()) return nullptr;
  NodeMark& mark = it->second;
  if (mark.error && mark.note.isNull() && noteOf_) mark.note = noteOf_(id) + QLatin1String("");
  return &mark;
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

void GraphCanvas::setLit(std::unordered_map<uint64_t, int> hits) {
  hits_ = std::move(hits);
  findLit();
  update();
}

void GraphCanvas::findLit() {
  lit_.clear();
  if (!graph_) return;
  for (const auto& [id, count] : hits_)
    if (const auto at = graph_->indexOf.find(id);
        at != graph_->indexOf.end() && graph_->layout.nodes[at->second].width > 0)
      lit_.push_back(at->second);
  std::sort(lit_.begin(), lit_.end());
}

int GraphCanvas::hitsOf(uint64_t id) const {
  const auto at = hits_.find(id);
  return at == hits_.end() ? 0 : at->second;
}

bool GraphCanvas::findNext(int direction) {
  const std::vector<uint32_t>& stations = found_.empty() ? lit_ : found_;
  if (stations.empty() || !graph_) return false;
  auto at = graph_->indexOf.find(selected_);
  const int64_t from = at == graph_->indexOf.end() ? -1 : int64_t(at->second);
  if (direction > 0) {
    auto it = std::upper_bound(stations.begin(), stations.end(), from, [](int64_t a, uint32_t b) { return a < b; });
    select(it == stations.end() ? stations.front() : *it);
  } else {
    auto it = std::lower_bound(stations.begin(), stations.end(), from, [](uint32_t a, int64_t b) { return a < b; });
    select(it == stations.begin() ? stations.back() : *std::prev(it));
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
    // What has no label stands in the rail beside its reader.
    const auto& readers = graph_->outputs[it->second];
    if (stub != graph_->layout.stubs.end()) {
      box = stub->box;
    } else if (!readers.empty()) {
      box = graph_->layout.nodes[readers.front()];
    }
    if (box.width <= 0) return {};
  }
  return {(box.x - origin_.x()) * scale_, (box.y - origin_.y()) * scale_, box.width * scale_, box.height * scale_};
}

uint64_t GraphCanvas::idAt(QPointF position) const {
  if (!graph_ || !viewRect().contains(position)) return 0;
  const QPointF at = toScene(position);
  auto inside = [&](const GraphRect& box) {
    return at.x() >= box.x && at.x() < box.right() && at.y() >= box.y && at.y() < box.bottom();
  };
  // From afar a box may be higher than the layout has it.
  const double more = farView() ? fontMetrics().height() / scale_ : 0;
  for (uint32_t n : graph_->nodeBands.between(at.y() - more, at.y() + more))
    if (graph_->layout.nodes[n].width > 0 && drawnBox(n).contains(position)) return graph_->model.nodes[n].id;
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
  parts += views::qtText(kind);
  if (node.impure) parts += tr("impure");
  if (!node.members.empty()) parts += QString::fromStdString(node.members);
  if (!node.chip.empty()) parts += QString::fromStdString(node.chip);
  if (const NodeTint* shade = tint(node.id); shade && !shade->note.isEmpty()) parts += shade->note;
  if (state && state->error) parts += tr("error");
  if (state && state->current) parts += tr("current");
  if (state && state->breakpoint) parts += tr("breakpoint");
  if (const int hits = hitsOf(node.id); hits > 0) parts += hits > 1 ? tr("%1 hits").arg(hits) : tr("hit");
  return parts.join(QStringLiteral(", "));
}

QRectF GraphCanvas::rectAt(const GraphRect& box) const {
  return {(box.x - origin_.x()) * scale_, (box.y - origin_.y()) * scale_, box.width * scale_, box.height * scale_};
}

const FarView* GraphCanvas::farView() const {
  if (!graph_ || scale_ >= kReadableScale) return nullptr;
  if (!far_ || !far_->isOf(*this)) far_ = std::make_unique<FarView>(*this, far_.get());
  return far_.get();
}

QRectF GraphCanvas::drawnBox(uint32_t node) const {
  const FarView* far = farView();
  return far ? far->box(node).translated(-origin_ * scale_) : rectAt(graph_->layout.nodes[node]);
}

QRectF GraphCanvas::drawnRegion(size_t region) const {
  const FarView* far = farView();
  return far ? far->region(region).translated(-origin_ * scale_) : rectAt(graph_->layout.regions[region]);
}

QRectF GraphCanvas::foldButtonOf(const QRectF& box) const {
  const double size = fontMetrics().height() * 0.9 * scale_, gap = size * 0.3;
  return {box.right() - size - gap, box.top() + gap, size, size};
}

uint64_t GraphCanvas::foldButtonAt(QPointF position) const {
  if (!graph_) return 0;
  for (const GraphRegion& region : graph_->model.regions) {
    const auto index = static_cast<size_t>(&region - graph_->model.regions.data());
    if (region.foldId && foldButtonOf(drawnRegion(index)).contains(position)) return region.foldId;
  }
  const auto node = graph_->indexOf.find(idAt(position));
  if (node == graph_->indexOf.end() || graph_->model.nodes[node->second].count < 2) return 0;
  return foldButtonOf(drawnBox(node->second)).contains(position) ? node->first : 0;
}

}  // namespace rx
