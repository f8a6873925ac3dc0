#include "views/canvas/graph_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>

#include "views/canvas/box_grid.h"
#include "views/theme/scope_look.h"

namespace rx {
namespace {

/// More labels than this are a texture, not words.
constexpr size_t kMost = 220;
/// Letters stand in a box of so much of their height: what is left is space above and below them.
constexpr double kLeastHeight = 0.7;
/// A word that is a little wider than its box is written smaller: inside says better whose it is than beside.
constexpr std::array kSmaller = {1.0, 0.9, 0.82};
/// No label is narrower, in pixels.
constexpr double kNarrowest = 4;

/// What a box has besides its label: a folded block its button, and at the other side as much, so that the name is in
/// the middle.
double besideLabel(const GraphCanvas& canvas, const GraphNode& node, const QRectF& box) {
  return node.count > 1 ? 2 * canvas.foldButtonOf(box).width() : 0;
}

class LabelPainter {
 public:
  LabelPainter(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
               const std::vector<QRectF>& boxes, const std::vector<QRectF>& names)
      : painter_(painter),
        canvas_(canvas),
        graph_(*canvas.graph()),
        far_(*canvas.farView()),
        font_(farFont(canvas)),
        smallFont_(farSmallFont(canvas)),
        metrics_(font_),
        smallMetrics_(smallFont_),
        view_(canvas.viewRect()),
        visible_(visible),
        boxes_(boxes),
        grid_(view_, metrics_.height(), boxes),
        taken_(names) {
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
    // Of very many every so manieth: they would only be found to lie on each other.
    const size_t step = std::max<size_t>(1, order_.size() / (kMost * 8));
    for (size_t i = 0; i < order_.size() && taken_.size() < kMost; i += i < folded_ ? 1 : step) paintLabel(order_[i]);
    for (const size_t i : order_) paintChip(i);
  }

 private:
  const GraphNode& nodeAt(size_t i) const { return graph_.model.nodes[visible_[i]]; }

  int weight(size_t i) const {
    const GraphNode& node = nodeAt(i);
    const NodeMark* mark = canvas_.mark(node.id);
    if (node.id == canvas_.selected() || (mark && (mark->error || mark->current))) return 3;
    return node.count > 1 ? 2 : 1;
  }

  void paintChip(size_t i) {
    const FarView::Chip* chip = far_.chip(visible_[i]);
    if (!chip) return;
    const QRectF pill = chip->rect.translated(boxes_[i].topLeft() - far_.box(visible_[i]).topLeft());
    if (!isUntaken(pill)) return;
    painter_.setPen(canvas_.theme().grey);
    painter_.setBrush(canvas_.theme().base);
    painter_.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    const GraphNode& node = nodeAt(i);
    const NodeMark* mark = canvas_.mark(node.id);
    const QString note = noteOf(node).section(QStringLiteral(" · "), 0, 0);
    const bool notes = !note.isEmpty() && widthOf(note) <= pill.width() - 4;
    put(pill, notes ? note : chip->text, false,
        notes && mark && mark->error ? canvas_.theme().error : canvas_.theme().text);
  }

  void paintLabel(size_t i) {
    const GraphNode& node = nodeAt(i);
    const QRectF& box = boxes_[i];
    const FarWords words = farWordsOf(node);
    const double room = box.width() - besideLabel(canvas_, node, box);
    const bool high = box.height() >= metrics_.height() * kLeastHeight;
    if (high && putInside(i, room, words)) return;
    if (putBeside(i, words.title, words.shorter)) return;
    // Over the sides of its box, where that reaches no other: what is cut says nothing.
    if (!hasRoom(aroundBy(box.center(), kNarrowest), i)) return;
    const QRectF over = around(box.center(), words.shorter);
    if (isFree(over, i)) put(over, words.shorter, false);
  }

  /// In one line, or in two where there is something to be said under the title and room for it.
  bool putInside(size_t i, double room, const FarWords& words) {
    const QRectF& box = boxes_[i];
    const QString second = secondLine(i, room - 4, words);
    const double below = second.isEmpty() ? 0 : smallMetrics_.height();
    const QPointF middle = box.center() - QPointF(0, below / 2);
    const bool block = nodeAt(i).count > 1;
    const QString shorter = block ? metrics_.elidedText(words.shorter, Qt::ElideRight, room - 4) : words.shorter;
    for (const QString& text : {words.title, shorter})
      for (const double smaller : kSmaller) {
        if (smaller < 1 && text != shorter) break;
        const QRectF fit = around(middle, text, smaller);
        if (room < fit.width() || !put(fit, text, false, smaller)) continue;
        if (!second.isEmpty()) putSecond(i, QRectF(box.left(), fit.bottom(), box.width(), below), second);
        return true;
      }
    return false;
  }

  /// What a run or a colouring says of the value comes first; a part of it is said where all has no room.
  QString secondLine(size_t i, double room, const FarWords& words) const {
    const GraphNode& node = nodeAt(i);
    if (boxes_[i].height() < metrics_.height() + smallMetrics_.height() - 1 || !node.chip.empty()) return {};
    QStringList texts{words.second, words.brief};
    const QString note = noteOf(node);
    if (!note.isEmpty()) texts = {note, note.section(QStringLiteral(" · "), 0, 0)};
    for (const QString& text : texts)
      if (far_.widthOf(text, true) <= room) return text;
    return {};
  }

  QString noteOf(const GraphNode& node) const {
    const NodeMark* mark = canvas_.mark(node.id);
    const NodeTint* tint = canvas_.tint(node.id);
    return mark && !mark->note.isEmpty() ? mark->note : tint ? tint->note : QString();
  }

  void putSecond(size_t i, const QRectF& line, const QString& text) {
    const NodeMark* mark = canvas_.mark(nodeAt(i).id);
    painter_.setFont(smallFont_);
    painter_.setPen(mark && mark->error ? canvas_.theme().error : canvas_.theme().grey);
    painter_.drawText(line, Qt::AlignHCenter | Qt::AlignTop, text);
    painter_.setFont(font_);
    taken_.push_back(line);
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

  QRectF around(QPointF middle, const QString& text, double smaller = 1) const {
    return aroundBy(middle, widthOf(text) * smaller + 4);
  }
  QRectF aroundBy(QPointF middle, double width) const {
    const QSizeF size(width, metrics_.height());
    return {middle - QPointF(size.width(), size.height()) / 2, size};
  }

  double widthOf(const QString& text) const { return far_.widthOf(text); }

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
  const FarView& far_;
  const QFont font_, smallFont_;
  const QFontMetricsF metrics_, smallMetrics_;
  QRectF view_;
  const std::vector<uint32_t>& visible_;
  const std::vector<QRectF>& boxes_;  // of the nodes on screen, as they are drawn
  BoxGrid grid_;
  std::vector<size_t> order_;  // places in both
  size_t folded_ = 0;          // so many of the first ones are more than operations
  std::vector<QRectF> taken_;
};

}  // namespace

void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
                    const std::vector<QRectF>& boxes, const std::vector<QRectF>& names) {
  LabelPainter(painter, canvas, visible, boxes, names).run();
}

}  // namespace rx
