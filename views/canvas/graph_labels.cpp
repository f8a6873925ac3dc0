#include "views/canvas/graph_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "views/canvas/box_grid.h"
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
constexpr size_t kNoNode = SIZE_MAX;
/// A word that is a little wider than its box is written smaller: inside says better whose it is than beside.
constexpr std::array kSmaller = {1.0, 0.9, 0.82};
/// No label is narrower, in pixels.
constexpr double kNarrowest = 4;

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
      : painter_(painter),
        canvas_(canvas),
        graph_(*canvas.graph()),
        font_(farFont(canvas)),
        metrics_(font_),
        view_(canvas.viewRect()),
        visible_(visible),
        boxes_(boxes),
        grid_(view_, metrics_.height(), boxes) {
    std::vector<size_t> blocks, others;
    for (size_t i = 0; i < visible.size(); ++i) {
      const int telling = weight(i);
      (telling == 3 ? order_ : telling == 2 ? blocks : others).push_back(i);
    }
    folded_ = order_.size() + blocks.size();
    order_.insert(order_.end(), blocks.begin(), blocks.end());
    order_.insert(order_.end(), others.begin(), others.end());
  }

  void run() {
    painter_.setFont(font_);
    paintRegionNames();
    // Of very many every so manieth: they would only be found to lie on each other.
    const size_t step = std::max<size_t>(1, order_.size() / (kMost * 8));
    for (size_t i = 0; i < order_.size() && taken_.size() < kMost; i += i < folded_ ? 1 : step) paintLabel(order_[i]);
    if (canvas_.scale() >= kChipScale)
      for (size_t i = 0; i < order_.size() && taken_.size() < kMost; ++i) paintChip(order_[i]);
  }

 private:
  const GraphNode& nodeAt(size_t i) const { return graph_.model.nodes[visible_[i]]; }

  int weight(size_t i) const {
    const GraphNode& node = nodeAt(i);
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
      const QSizeF size(widthOf(name) + 4, metrics_.height());
      for (const QPointF& at : {box.topLeft() + QPointF(2, 1), box.topRight() + QPointF(3, 0)})
        if (isFree(QRectF(at, size), kNoNode) && put(QRectF(at, size), name, true)) break;
    }
  }

  /// Inside the box at its upper left corner, where the layout leaves a line; what of it fits there.
  void paintScopeName(const GraphRegion& region, size_t number) {
    const QRectF box = canvas_.rectAt(graph_.layout.regions[number]);
    for (const std::string* words : {&region.title, &region.brief}) {
      const QString name = QString::fromStdString(*words);
      const QRectF rect(box.topLeft() + QPointF(4, 1), QSizeF(widthOf(name) + 4, metrics_.height() * 0.9));
      if (name.isEmpty() || rect.right() > box.right() || !isFree(rect, kNoNode)) continue;
      if (put(rect, name, true, scopeLook(region.branch, canvas_.theme()).ink)) return;
    }
  }

  /// The buffer alone where there is no room for its bytes too.
  void paintChip(size_t i) {
    const QRectF chip = canvas_.rectAt(graph_.layout.chips[visible_[i]]);
    if (chip.isEmpty()) return;
    const QString whole = QString::fromStdString(nodeAt(i).chip);
    for (const QString& text : {whole, whole.section(QStringLiteral(" · "), 0, 0)}) {
      const QSizeF size(widthOf(text) + metrics_.height(), metrics_.height());
      const QRectF pill(chip.center() - QPointF(size.width(), size.height()) / 2, size);
      if (pill.width() > chip.width() * 2 || !isFree(pill, i) || !isUntaken(pill)) continue;
      painter_.setPen(canvas_.theme().grey);
      painter_.setBrush(canvas_.theme().base);
      painter_.drawRoundedRect(pill, size.height() / 2, size.height() / 2);
      put(pill, text, false);
      return;
    }
  }

  void paintLabel(size_t i) {
    const GraphNode& node = nodeAt(i);
    const QRectF& box = boxes_[i];
    const QString title = QString::fromStdString(node.title);
    const double room = box.width() - besideLabel(canvas_, node, box);
    const QString shorter = node.count > 1 ? blockTitle(title, room - 4) : shortTitle(node);
    const bool high = box.height() >= metrics_.height() * kLeastHeight;
    if (high && putInside(box, room, title, shorter)) return;
    if (putBeside(i, title, shorter)) return;
    // Over the sides of its box, where that reaches no other; else as much of the word as the box is wide.
    if (hasRoom(aroundBy(box.center(), kNarrowest), i)) {
      const QRectF over = around(box.center(), shorter);
      if (isFree(over, i) && put(over, shorter, false)) return;
    }
    if (!high) return;
    const QString some = metrics_.elidedText(shorter, Qt::ElideMiddle, box.width() - 2);
    if (some.size() > 2) put(around(box.center(), some), some, false);
  }

  bool putInside(const QRectF& box, double room, const QString& title, const QString& shorter) {
    for (const QString& text : {title, shorter})
      for (const double smaller : kSmaller) {
        if (smaller < 1 && text != shorter) break;
        const QRectF fit = around(box.center(), text, smaller);
        if (room >= fit.width() && put(fit, text, false, smaller)) return true;
      }
    return false;
  }

  /// Where not even a letter has room no word is measured: among very many nodes that is nearly everywhere.
  bool putBeside(size_t i, const QString& title, const QString& shorter) {
    const QRectF& box = boxes_[i];
    const double top = aroundBy(box.center(), 0).top();
    const QSizeF letter(kNarrowest, metrics_.height());
    const bool right = hasRoom(QRectF(QPointF(box.right() + 3, top), letter), i);
    const bool left = hasRoom(QRectF(QPointF(box.left() - 3 - kNarrowest, top), letter), i);
    if (!right && !left) return false;
    for (const QString& text : {title, shorter}) {
      const QSizeF size(widthOf(text) + 4, metrics_.height());
      const QRectF after(QPointF(box.right() + 3, top), size);
      if (right && isFree(after, i) && put(after, text, true)) return true;
      const QRectF before(QPointF(box.left() - 3 - size.width(), top), size);
      if (left && isFree(before, i) && put(before, text, true)) return true;
    }
    return false;
  }

  /// The name of a block without what is told of it behind that, "layer3.0 with projection"; then as much as has room.
  QString blockTitle(const QString& title, double room) const {
    const QString name = title.section(QStringLiteral(" with "), 0, 0);
    return widthOf(title) <= room ? title : metrics_.elidedText(name, Qt::ElideRight, room);
  }

  QRectF around(QPointF middle, const QString& text, double smaller = 1) const {
    return aroundBy(middle, widthOf(text) * smaller + 4);
  }
  QRectF aroundBy(QPointF middle, double width) const {
    const QSizeF size(width, metrics_.height());
    return {middle - QPointF(size.width(), size.height()) / 2, size};
  }

  /// The same words come again and again, and to shape one takes longer than all else that is done for it.
  double widthOf(const QString& text) const {
    const auto [at, isNew] = widths_.try_emplace(text, 0);
    if (isNew) at->second = metrics_.horizontalAdvance(text);
    return at->second;
  }

  /// On no other node and inside the view.
  bool isFree(const QRectF& rect, size_t own) const { return view_.contains(rect) && !grid_.meets(rect, own); }

  /// For some of a label, at least.
  bool hasRoom(const QRectF& some, size_t own) const { return isUntaken(some) && isFree(some, own); }

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
    if (!view_.intersects(rect) || !isUntaken(rect)) return false;
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
  QRectF view_;
  const std::vector<uint32_t>& visible_;
  const std::vector<QRectF>& boxes_;  // of the nodes on screen, as they are drawn
  BoxGrid grid_;
  std::vector<size_t> order_;  // places in both
  size_t folded_ = 0;          // so many of the first ones are more than operations
  mutable std::unordered_map<QString, double> widths_;
  std::vector<QRectF> taken_;
};

/// Makes boxes wide enough for their labels. All of a row show as much: names with operations where each of them has
/// room for that, else operations alone, so that no box gets the room that its neighbour needs for as much.
class BoxWidener {
 public:
  BoxWidener(const GraphCanvas& canvas, const std::vector<uint32_t>& visible)
      : canvas_(canvas),
        graph_(*canvas.graph()),
        visible_(visible),
        metrics_(farFont(canvas)),
        gap_(metrics_.averageCharWidth() / 2) {
    for (const uint32_t n : visible) boxes_.push_back(canvas.rectAt(graph_.layout.nodes[n]));
  }

  std::vector<QRectF> run() {
    if (boxes_.size() > kMost) return std::move(boxes_);
    for (size_t i = 0; i < boxes_.size(); ++i) lift(i);
    std::map<int, std::vector<size_t>> rows;  // by the pixel of their middles
    for (size_t i = 0; i < boxes_.size(); ++i) rows[qRound(boxes_[i].center().y())].push_back(i);
    for (const auto& [middle, row] : rows) {
      if (widen(row, false) || widen(row, true)) continue;
      for (const size_t each : row)
        if (!widen({each}, false)) widen({each}, true);
    }
    return std::move(boxes_);
  }

 private:
  const GraphNode& node(size_t i) const { return graph_.model.nodes[visible_[i]]; }

  /// As high as the letters of its label, so that none of them lies on its frame.
  void lift(size_t i) {
    const double more = (metrics_.height() - boxes_[i].height()) / 2;
    if (more <= 0 || boxes_[i].height() < metrics_.height() * kLeastFrame) return;
    const QRectF high = boxes_[i].adjusted(0, -more, 0, more);
    if (isFree(high, i, boxes_)) boxes_[i] = high;
  }

  /// False where a box of the row has no room for so much. The button of a folded block stays where the layout has it.
  bool widen(const std::vector<size_t>& row, bool shorter) {
    std::vector<QRectF> wide = boxes_;
    for (const size_t i : row) {
      const QRectF& box = boxes_[i];
      if (node(i).count > 1 || box.width() <= 0 || box.height() < metrics_.height() * kLeastHeight) continue;
      const QString text = shorter ? shortTitle(node(i)) : QString::fromStdString(node(i).title);
      const double width = metrics_.horizontalAdvance(text) + 2 * gap_ + 4;
      if (width > box.width() * kMostWider) return false;
      if (width > box.width()) wide[i] = {box.center().x() - width / 2, box.top(), width, box.height()};
    }
    const auto fits = [&](size_t i) { return wide[i] == boxes_[i] || isFree(wide[i], i, wide); };
    if (!std::all_of(row.begin(), row.end(), fits)) return false;
    boxes_ = std::move(wide);
    return true;
  }

  bool isFree(const QRectF& wide, size_t own, const std::vector<QRectF>& boxes) const {
    const QRectF around = wide.adjusted(-gap_, 0, gap_, 0);
    for (size_t i = 0; i < boxes.size(); ++i)
      if (i != own && boxes[i].intersects(around)) return false;
    return canvas_.viewRect().contains(around);
  }

  const GraphCanvas& canvas_;
  const LaidGraph& graph_;
  const std::vector<uint32_t>& visible_;
  const QFontMetricsF metrics_;
  const double gap_;
  std::vector<QRectF> boxes_;
};

}  // namespace

std::vector<QRectF> farBoxes(const GraphCanvas& canvas, const std::vector<uint32_t>& visible) {
  return BoxWidener(canvas, visible).run();
}

void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
                    const std::vector<QRectF>& boxes) {
  LabelPainter(painter, canvas, visible, boxes).run();
}

}  // namespace rx
