#include "views/canvas/graph_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <unordered_map>

#include "views/theme/scope_look.h"

namespace rx {
namespace {

/// More labels than this are a texture, not words.
constexpr size_t kMost = 220;
/// Below this scale there is no room for the buffers between the nodes.
constexpr double kChipScale = 0.5;
/// Letters stand in a box of so much of their height: what is left is space above and below them.
constexpr double kLeastHeight = 0.7;
/// A box of less than so much of their height is made no higher.
constexpr double kLeastFrame = 0.5;
constexpr uint32_t kNoNode = UINT32_MAX;
/// A word that is a little wider than its box is written smaller: inside says better whose it is than beside.
constexpr std::array kSmaller = {1.0, 0.9, 0.82};

/// A box becomes at most so many times as wide: what is wider is no node any more.
constexpr double kMostWider = 1.75;

QFont farFont(const GraphCanvas& canvas) {
  QFont font = canvas.font();
  font.setPointSizeF(font.pointSizeF() * kReadableScale);
  return font;
}

/// What a box has besides its label: a folded block its button, and at the other side as much, so that the name is in
/// the middle.
double besideLabel(const GraphCanvas& canvas, const GraphNode& node, const QRectF& box) {
  return node.count > 1 ? 2 * canvas.foldButtonOf(box).width() : 0;
}

/// The operation is the last word; it says more than the name where only one of them has room.
QString shortTitle(const GraphNode& node) {
  const QString title = QString::fromStdString(node.title);
  return node.count > 1 ? title : title.section(' ', -1);
}

class LabelPainter {
 public:
  LabelPainter(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
               const std::vector<QRectF>& boxes)
      : painter_(painter), canvas_(canvas), graph_(*canvas.graph()), font_(farFont(canvas)), metrics_(font_) {
    // Of very many none is wider than the layout has it.
    for (size_t i = 0; i < visible.size() && visible.size() <= kMost; ++i) boxes_.emplace(visible[i], boxes[i]);
    for (int wanted : {3, 2, 1})
      for (uint32_t n : visible)
        if (weight(n) == wanted) order_.push_back(n);
  }

  void run() {
    painter_.setFont(font_);
    paintRegionNames();
    // Of very many every so manieth: they would only be found to lie on each other.
    const size_t step = std::max<size_t>(1, order_.size() / (kMost * 8));
    for (size_t i = 0; i < order_.size() && taken_.size() < kMost; i += weight(order_[i]) > 1 ? 1 : step)
      paintLabel(order_[i]);
    if (canvas_.scale() >= kChipScale)
      for (size_t i = 0; i < order_.size() && taken_.size() < kMost; ++i) paintChip(order_[i]);
  }

 private:
  int weight(uint32_t n) const {
    const GraphNode& node = graph_.model.nodes[n];
    const NodeMark* mark = canvas_.mark(node.id);
    if (node.id == canvas_.selected() || (mark && (mark->error || mark->current))) return 3;
    return node.count > 1 ? 2 : 1;
  }

  void paintRegionNames() {
    for (size_t r = 0; r < graph_.model.regions.size(); ++r) {
      if (graph_.model.regions[r].kind == RegionKind::Scope) paintScopeName(graph_.model.regions[r], r);
      if (graph_.model.regions[r].kind != RegionKind::Layer) continue;
      const QRectF box = canvas_.rectAt(graph_.layout.regions[r]);
      // In its corner or beside it, where it hides no node; what else the title says can be read from nearby.
      const QString name = QString::fromStdString(graph_.model.regions[r].title).section(QStringLiteral("  ·  "), 0, 0);
      const QSizeF size(metrics_.horizontalAdvance(name) + 4, metrics_.height());
      for (const QPointF& at : {box.topLeft() + QPointF(2, 1), box.topRight() + QPointF(3, 0)})
        if (isFree(QRectF(at, size), kNoNode) && put(QRectF(at, size), name, true)) break;
    }
  }

  /// Inside the box at its upper left corner, where the layout leaves a line; what of it fits there.
  void paintScopeName(const GraphRegion& region, size_t number) {
    const QRectF box = canvas_.rectAt(graph_.layout.regions[number]);
    for (const std::string* words : {&region.title, &region.brief}) {
      const QString name = QString::fromStdString(*words);
      const QRectF rect(box.topLeft() + QPointF(4, 1),
                        QSizeF(metrics_.horizontalAdvance(name) + 4, metrics_.height() * 0.9));
      if (name.isEmpty() || rect.right() > box.right() || !isFree(rect, kNoNode)) continue;
      if (put(rect, name, true, scopeLook(region.branch, canvas_.theme()).ink)) return;
    }
  }

  /// The buffer alone where there is no room for its bytes too.
  void paintChip(uint32_t n) {
    const QRectF chip = canvas_.rectAt(graph_.layout.chips[n]);
    if (chip.isEmpty()) return;
    const QString whole = QString::fromStdString(graph_.model.nodes[n].chip);
    for (const QString& text : {whole, whole.section(QStringLiteral(" · "), 0, 0)}) {
      const QSizeF size(metrics_.horizontalAdvance(text) + metrics_.height(), metrics_.height());
      const QRectF pill(chip.center() - QPointF(size.width(), size.height()) / 2, size);
      if (pill.width() > chip.width() * 2 || !isFree(pill, n) || !isUntaken(pill)) continue;
      painter_.setPen(canvas_.theme().grey);
      painter_.setBrush(canvas_.theme().base);
      painter_.drawRoundedRect(pill, size.height() / 2, size.height() / 2);
      put(pill, text, false);
      return;
    }
  }

  void paintLabel(uint32_t n) {
    const GraphNode& node = graph_.model.nodes[n];
    const QRectF box = boxOf(n);
    const QString title = QString::fromStdString(node.title);
    const double room = box.width() - besideLabel(canvas_, node, box);
    const QString shorter = node.count > 1 ? blockTitle(title, room - 4) : shortTitle(node);
    for (const QString& text : {title, shorter}) {
      const QRectF inside = around(box.center(), text);
      if (box.height() < inside.height() * kLeastHeight) break;
      for (const double smaller : kSmaller) {
        if (smaller < 1 && text != shorter) break;
        const QRectF fit = around(box.center(), text, smaller);
        if (room >= fit.width() && put(fit, text, false, smaller)) return;
      }
    }
    for (const QString& text : {title, shorter}) {
      const QRectF inside = around(box.center(), text);
      for (const double x : {box.right() + 3, box.left() - 3 - inside.width()}) {
        const QRectF beside(QPointF(x, inside.top()), inside.size());
        if (isFree(beside, n) && put(beside, text, true)) return;
      }
    }
    // Over the sides of its box, where that reaches no other; else as much of the word as the box is wide.
    const QRectF over = around(box.center(), shorter);
    if (isFree(over, n) && put(over, shorter, false)) return;
    const QString some = metrics_.elidedText(shorter, Qt::ElideMiddle, box.width() - 2);
    if (some.size() > 2 && box.height() >= over.height() * kLeastHeight) put(around(box.center(), some), some, false);
  }

  /// The name of a block without what is told of it behind that, "layer3.0 with projection"; then as much as has room.
  QString blockTitle(const QString& title, double room) const {
    const QString name = title.section(QStringLiteral(" with "), 0, 0);
    return metrics_.horizontalAdvance(title) <= room ? title : metrics_.elidedText(name, Qt::ElideRight, room);
  }

  QRectF around(QPointF middle, const QString& text, double smaller = 1) const {
    const QSizeF size(metrics_.horizontalAdvance(text) * smaller + 4, metrics_.height());
    return {middle - QPointF(size.width(), size.height()) / 2, size};
  }

  /// On no other node and inside the view.
  bool isFree(const QRectF& rect, uint32_t own) const {
    if (!canvas_.viewRect().contains(rect)) return false;
    const double top = canvas_.sceneY(rect.top()), bottom = canvas_.sceneY(rect.bottom());
    const auto near = graph_.nodeBands.between(top, bottom);
    return std::none_of(near.begin(), near.end(), [&](uint32_t n) { return n != own && boxOf(n).intersects(rect); });
  }

  /// As it is drawn.
  QRectF boxOf(uint32_t n) const {
    const auto drawn = boxes_.find(n);
    return drawn == boxes_.end() ? canvas_.rectAt(graph_.layout.nodes[n]) : drawn->second;
  }

  /// On no other label.
  bool isUntaken(const QRectF& rect) const {
    return std::none_of(taken_.begin(), taken_.end(), [&](const QRectF& other) { return other.intersects(rect); });
  }

  bool put(const QRectF& rect, const QString& text, bool ground) {
    return put(rect, text, ground, canvas_.theme().text);
  }
  bool put(const QRectF& rect, const QString& text, bool ground, double smaller) {
    QFont font = font_;
    font.setPointSizeF(font_.pointSizeF() * smaller);
    painter_.setFont(font);
    const bool there = put(rect, text, ground);
    painter_.setFont(font_);
    return there;
  }
  bool put(const QRectF& rect, const QString& text, bool ground, const QColor& ink) {
    if (!canvas_.viewRect().intersects(rect) || !isUntaken(rect)) return false;
    taken_.push_back(rect);
    if (ground) {
      QColor under = canvas_.theme().base;
      under.setAlpha(215);
      painter_.fillRect(rect, under);
    }
    painter_.setPen(ink);
    painter_.drawText(rect, Qt::AlignCenter, text);
    return true;
  }

  QPainter& painter_;
  const GraphCanvas& canvas_;
  const LaidGraph& graph_;
  QFont font_;
  QFontMetricsF metrics_;
  std::unordered_map<uint32_t, QRectF> boxes_;  // of the nodes on screen
  std::vector<uint32_t> order_;
  std::vector<QRectF> taken_;
};

}  // namespace

std::vector<QRectF> farBoxes(const GraphCanvas& canvas, const std::vector<uint32_t>& visible) {
  const LaidGraph& graph = *canvas.graph();
  std::vector<QRectF> boxes;
  for (const uint32_t n : visible) boxes.push_back(canvas.rectAt(graph.layout.nodes[n]));
  if (visible.size() > kMost) return boxes;
  const QFontMetricsF metrics(farFont(canvas));
  const double gap = metrics.averageCharWidth() / 2;
  const auto isFree = [&](const QRectF& wide, size_t own) {
    const QRectF around = wide.adjusted(-gap, 0, gap, 0);
    for (size_t i = 0; i < boxes.size(); ++i)
      if (i != own && boxes[i].intersects(around)) return false;
    return canvas.viewRect().contains(around);
  };
  for (size_t i = 0; i < boxes.size(); ++i) {
    const GraphNode& node = graph.model.nodes[visible[i]];
    // As high as the letters of its label, so that none of them lies on its frame.
    const double lift = (metrics.height() - boxes[i].height()) / 2;
    if (lift > 0 && boxes[i].height() >= metrics.height() * kLeastFrame) {
      const QRectF high = boxes[i].adjusted(0, -lift, 0, lift);
      if (isFree(high, i)) boxes[i] = high;
    }
    const QRectF box = boxes[i];
    // The button of a folded block stays where the layout has it.
    if (node.count > 1 || box.width() <= 0 || box.height() < metrics.height() * kLeastHeight) continue;
    for (const QString& text : {QString::fromStdString(node.title), shortTitle(node)}) {
      const double width = metrics.horizontalAdvance(text) + 2 * gap + 4;
      const QRectF wide(box.center().x() - width / 2, box.top(), width, box.height());
      if (width <= box.width()) break;
      if (width > box.width() * kMostWider || !isFree(wide, i)) continue;
      boxes[i] = wide;
      break;
    }
  }
  return boxes;
}

void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
                    const std::vector<QRectF>& boxes) {
  LabelPainter(painter, canvas, visible, boxes).run();
}

}  // namespace rx
