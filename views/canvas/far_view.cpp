#include "views/canvas/far_view.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "views/canvas/graph_canvas.h"

namespace rx {
namespace {

/// Of more nodes only those in sight are looked at, and none where these are more than the second number.
constexpr size_t kMostNodes = 1000, kMostSeen = 220;
/// Of more pairs of nodes and regions no frame is made wider.
constexpr size_t kMostPairs = 200'000;
/// Below the first scale there is no room for the buffers between the nodes, below the second none for two lines.
constexpr double kChipScale = 0.5, kTwoLineScale = 0.5;
/// Below this one no box has room for a label.
constexpr double kLeastScale = 0.12;
/// Letters stand in a box of so much of their height: what is left is space above and below them.
constexpr double kLeastHeight = 0.7;
/// A box of less than so much of their height is made no higher.
constexpr double kLeastFrame = 0.3;
/// A box becomes at most so many times as wide: what is wider is no node any more.
constexpr double kMostWider = 4;

QFont scaled(const GraphCanvas& canvas, double factor) {
  QFont font = canvas.font();
  font.setPointSizeF(font.pointSizeF() * factor);
  return font;
}

QRectF times(const GraphRect& box, double scale) {
  return {box.x * scale, box.y * scale, box.width * scale, box.height * scale};
}

bool isLarge(const LaidGraph& graph) { return graph.model.nodes.size() > kMostNodes; }

}  // namespace

QFont farFont(const GraphCanvas& canvas) { return scaled(canvas, kReadableScale); }
QFont farSmallFont(const GraphCanvas& canvas) { return scaled(canvas, kReadableScale * 0.85); }

FarWords farWordsOf(const GraphNode& node) {
  FarWords words;
  words.title = QString::fromStdString(node.title);
  // The operation is the last word; it says more than the name where only one of them has room.
  words.shorter = node.count > 1 ? words.title.section(QStringLiteral(" with "), 0, 0) : words.title.section(' ', -1);
  if (!node.chip.empty() || node.shape == NodeShape::Pill) return words;
  words.second = QString::fromStdString(node.subtitle);
  const qsizetype end = words.second.startsWith('(') ? words.second.indexOf(')') : -1;
  words.brief = end < 0 ? words.second : words.second.left(end + 1);
  return words;
}

/// Makes boxes wide enough for their labels. All of a row show as much: names with operations where each of them has
/// room for that, else operations alone, so that no box gets the room that its neighbour needs for as much.
class FarWidener {
 public:
  FarWidener(const GraphCanvas& canvas, FarView* view)
      : canvas_(canvas),
        graph_(*canvas.graph()),
        view_(*view),
        height_(QFontMetricsF(view->font_).height()),
        two_(height_ + QFontMetricsF(farSmallFont(canvas)).height()),
        gap_(QFontMetricsF(view->font_).averageCharWidth() / 2),
        shelf_(height_ * 4) {}

  void run(std::vector<uint32_t> nodes) {
    nodes_ = std::move(nodes);
    std::erase_if(nodes_, [&](uint32_t n) { return view_.boxes_[n].width() <= 0; });
    for (const uint32_t n : nodes_) put(n);
    findReaches();
    for (const uint32_t n : nodes_)
      if (view_.scale_ < kTwoLineScale || !hasTwoLines(n) || !lift(n, two_)) lift(n, height_);
    std::map<int, std::vector<uint32_t>> rows;  // by the pixel of their middles
    for (const uint32_t n : nodes_) rows[qRound(view_.boxes_[n].center().y())].push_back(n);
    for (const auto& [middle, row] : rows) {
      if (widenAsMuch(row)) continue;
      for (const uint32_t each : row) widenAsMuch({each});
    }
    if (view_.scale_ >= kChipScale)
      for (const uint32_t n : nodes_) placeChip(n);
    growFrames();
  }

 private:
  /// How far to both sides a frame, or a node, may grow.
  struct Reach {
    double left = -std::numeric_limits<double>::infinity(), right = std::numeric_limits<double>::infinity();
    void narrow(double from, double to) { left = std::max(left, from), right = std::min(right, to); }
  };

  const GraphNode& node(uint32_t n) const { return graph_.model.nodes[n]; }
  bool hasTwoLines(uint32_t n) const { return node(n).chip.empty() && node(n).shape == NodeShape::Box; }
  double pad() const { return std::max(3.0, canvas_.fontMetrics().height() * 0.4 * view_.scale_); }

  bool isWithin(int region, int outer) const {
    while (region >= 0 && region != outer) region = graph_.model.regions[static_cast<size_t>(region)].parent;
    return region == outer;
  }

  /// Between two that stand beside each other each has half of the room.
  static void keepApart(const QRectF& own, const QRectF& other, Reach* reach) {
    if (own.top() >= other.bottom() || other.top() >= own.bottom()) return;
    if (other.left() >= own.right()) reach->right = std::min(reach->right, (other.left() + own.right()) / 2);
    if (other.right() <= own.left()) reach->left = std::max(reach->left, (other.right() + own.left()) / 2);
  }

  /// Lines that go straight down beside a frame stay outside it.
  void keepOffLines(const QRectF& frame, Reach* reach) const {
    for (const EdgePath& path : graph_.layout.edges)
      for (size_t i = 0; i + 1 < path.points.size(); ++i) {
        const GraphPoint &a = path.points[i], &b = path.points[i + 1];
        if (a.x != b.x) continue;
        keepApart(frame, times({a.x, a.y, 0, b.y - a.y}, view_.scale_), reach);
      }
  }

  void findReaches() {
    const auto& regions = graph_.model.regions;
    // What is whole in sight stays so.
    constexpr double kEdge = 3;
    const double whole = graph_.layout.size.width * view_.scale_, over = std::max(0.0, view_.width_ - whole) / 2;
    const Reach all{std::min(0.0, kEdge - over), std::max(whole, whole + over - kEdge)};
    reaches_.assign(regions.size(), all);
    nodeReaches_.assign(graph_.model.nodes.size(), all);
    grows_ = regions.size() * (nodes_.size() + regions.size() + graph_.layout.edges.size()) <= kMostPairs;
    for (size_t r = 0; r < regions.size(); ++r) {
      Reach& reach = reaches_[r];
      const QRectF& frame = view_.regions_[r];
      const int own = static_cast<int>(r), parent = regions[r].parent;
      if (!grows_) {
        reach = {frame.left(), frame.right()};
        continue;
      }
      for (const uint32_t n : nodes_) {
        if (isWithin(node(n).region, own)) continue;
        keepApart(frame, view_.boxes_[n], &reach);
        keepApart(view_.boxes_[n], frame, &nodeReaches_[n]);
      }
      for (size_t other = 0; other < regions.size(); ++other)
        if (!isWithin(static_cast<int>(other), own) && !isWithin(own, static_cast<int>(other)))
          keepApart(frame, view_.regions_[other], &reach);
      keepOffLines(frame, &reach);
      if (parent < 0) continue;
      const Reach& outer = reaches_[static_cast<size_t>(parent)];
      reach.narrow(outer.left + pad(), outer.right - pad());
    }
    for (const uint32_t n : nodes_) {
      if (node(n).region < 0) continue;
      const Reach& outer = reaches_[static_cast<size_t>(node(n).region)];
      nodeReaches_[n].narrow(outer.left + pad(), outer.right - pad());
    }
  }

  /// Boxes by the shelves of the height of some labels that they stand in, with room for what they grow by.
  void put(uint32_t n) {
    const QRectF& box = view_.boxes_[n];
    for (int at = shelfOf(box.top() - height_); at <= shelfOf(box.bottom() + height_); ++at) shelves_[at].push_back(n);
  }
  int shelfOf(double y) const { return static_cast<int>(std::floor(y / shelf_)); }

  bool isFree(const QRectF& rect, uint32_t own) const {
    for (int at = shelfOf(rect.top()); at <= shelfOf(rect.bottom()); ++at) {
      const auto shelf = shelves_.find(at);
      if (shelf == shelves_.end()) continue;
      for (const uint32_t n : shelf->second)
        if (n != own && view_.boxes_[n].intersects(rect)) return false;
    }
    return true;
  }

  /// As high as the letters of its label, so that none of them lies on its frame; lines go on between the boxes.
  bool lift(uint32_t n, double height) {
    constexpr double kBetween = 3;
    QRectF& box = view_.boxes_[n];
    const double more = (height - box.height()) / 2;
    if (more <= 0) return true;
    if (box.height() < height_ * kLeastFrame) return false;
    const QRectF high = box.adjusted(0, -more, 0, more);
    const double between = height > height_ ? kBetween : 0;
    if (!isFree(high.adjusted(0, -between, 0, between), n)) return false;
    box = high;
    return true;
  }

  bool widenAsMuch(const std::vector<uint32_t>& row) {
    struct Level {
      QString FarWords::*first, FarWords::*second;
    };
    static constexpr Level kLevels[] = {{&FarWords::title, &FarWords::second},
                                        {&FarWords::title, &FarWords::brief},
                                        {&FarWords::shorter, &FarWords::brief},
                                        {&FarWords::title, nullptr},
                                        {&FarWords::shorter, nullptr}};
    std::vector<FarWords> words;
    for (const uint32_t n : row) words.push_back(farWordsOf(node(n)));
    for (const Level& level : kLevels) {
      std::vector<double> widths;
      for (size_t i = 0; i < row.size(); ++i) {
        const bool two = level.second && view_.boxes_[row[i]].height() >= two_ - 1;
        const double second = two ? view_.widthOf(words[i].*level.second, true) : 0;
        widths.push_back(std::max(view_.widthOf(words[i].*level.first), second));
      }
      if (widen(row, widths)) return true;
    }
    return false;
  }

  /// False where a box of the row has no room for so much.
  bool widen(const std::vector<uint32_t>& row, const std::vector<double>& widths) {
    std::vector<QRectF> before;
    for (const uint32_t n : row) before.push_back(view_.boxes_[n]);
    bool fits = true;
    for (size_t i = 0; i < row.size() && fits; ++i) {
      QRectF& box = view_.boxes_[row[i]];
      if (box.height() < height_ * kLeastHeight) continue;
      const double buttons = node(row[i]).count > 1 ? 2.6 * canvas_.foldButtonOf(box).width() : 0;
      const double width = widths[i] + 2 * gap_ + 4 + buttons;
      fits = width <= box.width() * kMostWider;
      if (width > box.width()) box = {box.center().x() - width / 2, box.top(), width, box.height()};
    }
    for (size_t i = 0; i < row.size() && fits; ++i) fits = view_.boxes_[row[i]] == before[i] || hasRoom(row[i]);
    if (!fits)
      for (size_t i = 0; i < row.size(); ++i) view_.boxes_[row[i]] = before[i];
    return fits;
  }

  bool hasRoom(uint32_t n) const {
    const QRectF around = view_.boxes_[n].adjusted(-gap_, 0, gap_, 0);
    const Reach& reach = nodeReaches_[n];
    if (around.left() < reach.left || around.right() > reach.right || !isFree(around, n)) return false;
    // Nor over a buffer: it stands lower than the nodes of its row that have none.
    for (const uint32_t other : nearOf(around)) {
      const GraphRect& chip = graph_.layout.chips[other];
      if (other != n && chip.width > 0 && times(chip, view_.scale_).intersects(around)) return false;
    }
    return true;
  }

  std::vector<uint32_t> nearOf(const QRectF& rect) const {
    std::vector<uint32_t> near;
    for (int at = shelfOf(rect.top()); at <= shelfOf(rect.bottom()); ++at)
      if (const auto shelf = shelves_.find(at); shelf != shelves_.end())
        near.insert(near.end(), shelf->second.begin(), shelf->second.end());
    return near;
  }

  /// The buffer alone where there is no room for its bytes too.
  void placeChip(uint32_t n) {
    const QRectF chip = times(graph_.layout.chips[n], view_.scale_);
    if (chip.width() <= 0) return;
    const QRectF& box = view_.boxes_[n];
    const double top = std::max(chip.center().y() - height_ / 2, box.bottom() + 2);
    const QString whole = QString::fromStdString(node(n).chip);
    for (const QString& text : {whole, whole.section(QStringLiteral(" · "), 0, 0)}) {
      const double width = view_.widthOf(text) + height_;
      const QRectF pill(chip.center().x() - width / 2, top, width, height_);
      const Reach& reach = nodeReaches_[n];
      if (width > chip.width() * 2 || pill.left() < reach.left || pill.right() > reach.right) continue;
      if (!isFree(pill, n) || !isFreeOfChips(pill, n)) continue;
      view_.chips_[n] = {pill, text};
      return;
    }
  }

  bool isFreeOfChips(const QRectF& pill, uint32_t own) const {
    const auto near = nearOf(pill.adjusted(0, -height_ * 2, 0, 0));
    return std::none_of(near.begin(), near.end(), [&](uint32_t n) {
      const auto other = view_.chips_.find(n);
      return n != own && other != view_.chips_.end() && other->second.rect.intersects(pill);
    });
  }

  void growFrames() {
    const auto hold = [this](int region, const QRectF& rect) {
      QRectF& frame = view_.regions_[static_cast<size_t>(region)];
      const QRectF wide(rect.left() - pad(), rect.top(), rect.width() + 2 * pad(), rect.height());
      if (!frame.contains(wide)) frame = frame.united(wide);
    };
    for (const uint32_t n : nodes_) {
      if (node(n).region < 0) continue;
      hold(node(n).region, view_.boxes_[n]);
      if (const FarView::Chip* chip = view_.chip(n)) hold(node(n).region, chip->rect);
    }
    // A parent comes before its children.
    for (size_t r = graph_.model.regions.size(); r-- > 0;)
      if (const int parent = graph_.model.regions[r].parent; parent >= 0) hold(parent, view_.regions_[r]);
  }

  const GraphCanvas& canvas_;
  const LaidGraph& graph_;
  FarView& view_;
  const double height_, two_, gap_, shelf_;
  bool grows_ = true;
  std::vector<uint32_t> nodes_;
  std::vector<Reach> reaches_, nodeReaches_;
  std::unordered_map<int, std::vector<uint32_t>> shelves_;
};

FarView::FarView(const GraphCanvas& canvas, FarView* last)
    : graph_(canvas.graph()),
      scale_(canvas.scale()),
      width_(canvas.viewRect().width()),
      font_(farFont(canvas)),
      canvasFont_(canvas.font()) {
  if (last && last->font_ == font_) {
    widths_ = std::move(last->widths_);
    smallWidths_ = std::move(last->smallWidths_);
  }
  for (const GraphRect& box : graph_->layout.regions) regions_.push_back(times(box, scale_));
  if (scale_ < kLeastScale) return;
  if (isLarge(*graph_)) {
    const QRectF seen = canvas.viewRect();
    view_ = QRectF(canvas.rectAt({}).topLeft(), seen.size());
    looked_ = graph_->nodeBands.between(canvas.sceneY(seen.top()), canvas.sceneY(seen.bottom()));
    std::erase_if(looked_, [&](uint32_t n) { return !canvas.rectAt(graph_->layout.nodes[n]).intersects(seen); });
    if (looked_.size() > kMostSeen) return;
  } else {
    for (uint32_t n = 0; n < graph_->model.nodes.size(); ++n) looked_.push_back(n);
  }
  // Of very many boxes those that were not looked at are as they were.
  if (last && last->graph_ == graph_ && last->scale_ == scale_ && !last->boxes_.empty()) {
    boxes_ = std::move(last->boxes_);
    for (const uint32_t n : last->looked_) boxes_[n] = times(graph_->layout.nodes[n], scale_);
  } else {
    boxes_.reserve(graph_->model.nodes.size());
    for (const GraphRect& box : graph_->layout.nodes) boxes_.push_back(times(box, scale_));
  }
  FarWidener(canvas, this).run(looked_);
}

QRectF FarView::box(uint32_t node) const {
  return boxes_.empty() ? times(graph_->layout.nodes[node], scale_) : boxes_[node];
}

bool FarView::isOf(const GraphCanvas& canvas) const {
  if (graph_ != canvas.graph() || scale_ != canvas.scale() || width_ != canvas.viewRect().width() ||
      canvasFont_ != canvas.font())
    return false;
  return scale_ < kLeastScale || !isLarge(*graph_) ||
         view_ == QRectF(canvas.rectAt({}).topLeft(), canvas.viewRect().size());
}

const FarView::Chip* FarView::chip(uint32_t node) const {
  const auto at = chips_.find(node);
  return at == chips_.end() ? nullptr : &at->second;
}

double FarView::widthOf(const QString& text, bool small) const {
  auto& widths = small ? smallWidths_ : widths_;
  const auto [at, isNew] = widths.try_emplace(text, 0);
  if (isNew) {
    QFont font = font_;
    if (small) font.setPointSizeF(font.pointSizeF() * 0.85);
    at->second = QFontMetricsF(font).horizontalAdvance(text);
  }
  return at->second;
}

}  // namespace rx
