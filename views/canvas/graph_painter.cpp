#include "views/canvas/graph_painter.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPaintEvent>
#include <QPen>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "views/canvas/graph_lit.h"
#include "views/canvas/region_names.h"
#include "views/canvas/weight_rail.h"
#include "views/theme/kind_mark.h"
#include "views/theme/scope_look.h"

namespace rx {

GraphPainter::GraphPainter(const GraphCanvas& canvas, QPainter& painter)
    : canvas_(canvas),
      painter_(painter),
      theme_(canvas.theme_),
      view_(canvas.origin_, canvas.viewRect().size() / canvas.scale_),
      detail_(canvas.scale_ >= 0.35   ? Detail::Full
              : canvas.scale_ >= 0.12 ? Detail::Boxes
              : canvas.scale_ >= 0.05 ? Detail::Blocks
                                      : Detail::Dots),
      em_(QFontMetricsF(canvas.font()).height()),
      font_(canvas.font()),
      small_(canvas.font()) {
  font_.setPointSizeF(std::max(1.0, font_.pointSizeF() * canvas.scale_));
  small_.setPointSizeF(std::max(1.0, canvas.font().pointSizeF() * 0.85 * canvas.scale_));
}

QRectF GraphPainter::place(const GraphRect& box) const {
  return {(box.x - view_.left()) * canvas_.scale_, (box.y - view_.top()) * canvas_.scale_, box.width * canvas_.scale_,
          box.height * canvas_.scale_};
}

QPointF GraphPainter::place(const GraphPoint& point) const {
  return {(point.x - view_.left()) * canvas_.scale_, (point.y - view_.top()) * canvas_.scale_};
}

void GraphPainter::paint() {
  painter_.fillRect(canvas_.rect(), theme_.base);
  if (!canvas_.graph_ || canvas_.graph_->model.nodes.empty()) {
    if (!canvas_.job_) paintPlaceholder();
  } else {
    painter_.save();
    painter_.setClipRect(canvas_.viewRect());
    painter_.setRenderHint(QPainter::Antialiasing, detail_ <= Detail::Boxes);
    findVisible();
    paintRegions();
    if (detail_ != Detail::Dots) paintEdges();
    paintFoldButtons();
    const std::vector<QRectF> names =
        detail_ <= Detail::Boxes ? paintRegionNames(painter_, canvas_, boxes_) : std::vector<QRectF>();
    if (readable()) paintStubs();
    paintHalos(painter_, canvas_);
    paintNodes(names);
    paintLitPills(painter_, canvas_);
    painter_.restore();
    paintRail(painter_, canvas_);
    paintOverview();
  }
  if (canvas_.job_) paintBusy();
  if (canvas_.hasFocus()) {
    painter_.setPen(QPen(theme_.accent, 1));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(canvas_.rect().adjusted(0, 0, -1, -1));
  }
}

void GraphPainter::paintPlaceholder() {
  painter_.setPen(theme_.grey);
  const int margin = canvas_.fontMetrics().height();
  painter_.drawText(canvas_.rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap,
                    canvas_.placeholder_);
}

void GraphPainter::paintRegions() {
  const auto& graph = *canvas_.graph_;
  for (size_t r = 0; r < graph.model.regions.size(); ++r) {
    const QRectF rect = canvas_.drawnRegion(r);
    if (!rect.intersects(QRectF(canvas_.rect()))) continue;
    const RegionKind kind = graph.model.regions[r].kind;
    if (kind == RegionKind::Scope) {
      paintScope(r, rect);
      continue;
    }
    const bool dataflow = kind == RegionKind::Dataflow, layer = kind == RegionKind::Layer;
    painter_.setPen(QPen(dataflow ? theme_.dataflowEdge
                         : layer  ? theme_.grey
                                  : theme_.border,
                         1, dataflow || layer ? Qt::SolidLine : Qt::DashLine));
    painter_.setBrush(dataflow ? QBrush(theme_.dataflow) : layer ? QBrush(theme_.base) : QBrush(Qt::NoBrush));
    const double radius = detail_ == Detail::Full ? em() * 0.4 : 0;
    painter_.drawRoundedRect(rect, radius, radius);
  }
}

/// Told apart by colour and by line, as its siblings stand side by side.
void GraphPainter::paintScope(size_t region, const QRectF& rect) {
  const ScopeLook look = scopeLook(canvas_.graph_->model.regions[region].branch, theme_);
  painter_.setPen(QPen(look.line, 1.4, look.style));
  painter_.setBrush(Qt::NoBrush);
  const double radius = detail_ == Detail::Full ? em() * 0.4 : 0;
  painter_.drawRoundedRect(rect, radius, radius);
}

void GraphPainter::paintFoldButtons() {
  const auto& regions = canvas_.graph_->model.regions;
  for (size_t r = 0; r < regions.size(); ++r)
    if (regions[r].foldId) paintFoldButton(canvas_.drawnRegion(r), false);
}

void GraphPainter::paintFoldButton(const QRectF& box, bool folded) {
  const QRectF button = canvas_.foldButtonOf(box);
  if (button.width() < 5) return;
  painter_.setPen(QPen(theme_.grey, 1));
  painter_.setBrush(theme_.base);
  painter_.drawRoundedRect(button, button.width() * 0.2, button.width() * 0.2);
  painter_.setPen(QPen(theme_.text, std::max(1.0, button.width() * 0.1)));
  const double arm = button.width() * 0.28;
  const QPointF middle = button.center();
  painter_.drawLine(middle - QPointF(arm, 0), middle + QPointF(arm, 0));
  if (folded) painter_.drawLine(middle - QPointF(0, arm), middle + QPointF(0, arm));
}

void GraphPainter::paintEdges() {
  const auto& graph = *canvas_.graph_;
  const auto visible = graph.edgeBands.between(view_.top(), view_.bottom());
  // Too many to tell apart: the nodes alone say more, and sooner.
  if (visible.size() > 20'000) return;
  auto isStrong = [&](uint32_t e) {
    const GraphEdge& edge = graph.model.edges[graph.layout.edges[e].edge];
    const uint64_t from = graph.model.nodes[edge.from].id, to = graph.model.nodes[edge.to].id;
    auto touches = [&](uint64_t id) { return id && (from == id || to == id); };
    return touches(canvas_.selected_) || touches(canvas_.hovered_);
  };
  std::vector<uint32_t> strong;
  for (uint32_t e : visible) {
    if (isStrong(e)) {
      strong.push_back(e);
    } else {
      paintEdge(graph.layout.edges[e], false);
    }
  }
  for (uint32_t e : strong) paintEdge(graph.layout.edges[e], true);
  if (!readable()) return;
  painter_.setFont(small_);
  painter_.setPen(theme_.grey);
  const QFontMetricsF metrics(small_);
  for (uint32_t e : visible) {
    const std::string& label = graph.model.edges[graph.layout.edges[e].edge].label;
    if (label.empty()) continue;
    const QPointF tip = place(graph.layout.edges[e].points.back());
    const QString words = QString::fromStdString(label);
    const QPointF at = tip + QPointF(em() * 0.35, -em() * 0.35);
    // Lines go on behind it.
    QColor ground = groundOf(graph.model.nodes[graph.model.edges[graph.layout.edges[e].edge].to].region);
    ground.setAlpha(225);
    painter_.fillRect(metrics.boundingRect(words).translated(at), ground);
    painter_.drawText(at, words);
  }
}

/// What a region is filled with: with what is around it, where it is a frame alone.
QColor GraphPainter::groundOf(int region) const {
  const auto& regions = canvas_.graph_->model.regions;
  for (; region >= 0; region = regions[static_cast<size_t>(region)].parent) {
    const RegionKind kind = regions[static_cast<size_t>(region)].kind;
    if (kind == RegionKind::Dataflow) return theme_.dataflow;
    if (kind == RegionKind::Layer) break;
  }
  return theme_.base;
}

void GraphPainter::paintEdge(const EdgePath& path, bool strong) {
  const auto& points = path.points;
  painter_.setPen(QPen(strong ? theme_.accent : theme_.grey, strong && detail_ == Detail::Full ? 2 : 1));
  painter_.setBrush(Qt::NoBrush);
  if (detail_ != Detail::Full) {
    for (size_t i = 0; i + 1 < points.size(); ++i) painter_.drawLine(place(points[i]), place(points[i + 1]));
    return;
  }
  QPainterPath line(place(points.front()));
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const QPointF a = place(points[i]), b = place(points[i + 1]);
    // Segments out of the view are skipped, so that a line of a thousand ranks costs what is seen of it.
    if (std::max(a.y(), b.y()) < -em() * 4 || std::min(a.y(), b.y()) > canvas_.height() + em() * 4) {
      line.moveTo(b);
      continue;
    }
    const double bend = std::max((b.y() - a.y()) / 2, em() * 0.5);
    line.cubicTo(a + QPointF(0, bend), b - QPointF(0, bend), b);
  }
  painter_.drawPath(line);
  const QPointF tip = place(points.back());
  const double size = em() * 0.22;
  QPolygonF head;
  head << tip << tip + QPointF(-size, -size * 1.6) << tip + QPointF(size, -size * 1.6);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(strong ? theme_.accent : theme_.grey);
  painter_.drawPolygon(head);
}

void GraphPainter::paintStubs() {
  const auto& graph = *canvas_.graph_;
  for (uint32_t s : graph.stubBands.between(view_.top(), view_.bottom())) {
    const StubBox& stub = graph.layout.stubs[s];
    const GraphNode& source = graph.model.nodes[stub.source];
    const QRectF rect = place(stub.box);
    if (!rect.intersects(QRectF(canvas_.rect()))) continue;
    const bool strong = source.id == canvas_.selected_ || source.id == canvas_.hovered_;
    const GraphRect& target = graph.layout.nodes[stub.target];
    painter_.setPen(QPen(strong ? theme_.accent : theme_.grey, 1));
    const double y =
        std::clamp(stub.box.y + stub.box.height / 2, target.y + target.height * 0.25, target.y + target.height * 0.75);
    painter_.drawLine(QPointF(rect.right(), rect.center().y()), place(GraphPoint{target.x, y}));
    const KindColors& colors = theme_.of(source.kind);
    painter_.setPen(QPen(strong ? theme_.accent : colors.line, strong ? 2 : 1));
    painter_.setBrush(colors.fill);
    painter_.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    painter_.setFont(small_);
    painter_.setPen(theme_.text);
    const std::string label = canvas_.weightLabels_ ? weightLabel(source, canvas_.sizeText_) : source.title;
    const QString text =
        QFontMetricsF(small_).elidedText(QString::fromStdString(label), Qt::ElideRight, rect.width() - em() * 0.4);
    painter_.drawText(rect, Qt::AlignCenter, text);
  }
}

bool GraphPainter::isMatch(uint32_t index) const {
  return std::binary_search(canvas_.found_.begin(), canvas_.found_.end(), index);
}

void GraphPainter::findVisible() {
  const auto& graph = *canvas_.graph_;
  const FarView* far = canvas_.farView();
  const QPointF moved = -canvas_.origin_ * canvas_.scale_;
  const double right = canvas_.viewRect().right();
  for (const uint32_t n : graph.nodeBands.between(view_.top(), view_.bottom())) {
    const QRectF box = far ? far->box(n).translated(moved) : place(graph.layout.nodes[n]);
    if (box.right() < 0 || box.left() > right) continue;
    visible_.push_back(n);
    boxes_.push_back(box);
  }
}

void GraphPainter::paintNodes(const std::vector<QRectF>& names) {
  const auto& graph = *canvas_.graph_;
  for (size_t i = 0; i < visible_.size(); ++i) paintNode(visible_[i], boxes_[i]);
  if (!readable()) paintFarLabels(painter_, canvas_, visible_, boxes_, names);
  for (size_t i = 0; i < visible_.size(); ++i)
    if (const NodeMark* mark = canvas_.mark(graph.model.nodes[visible_[i]].id); mark && mark->root)
      paintRoot(boxes_[i]);
}

void GraphPainter::paintNode(uint32_t index, const QRectF& box) {
  const auto& graph = *canvas_.graph_;
  const GraphNode& node = graph.model.nodes[index];
  const NodeMark* mark = canvas_.mark(node.id);
  const bool error = mark && mark->error, current = mark && mark->current, selected = node.id == canvas_.selected_;
  const KindColors& colors = theme_.of(node.kind);
  const NodeTint* tint = canvas_.tint(node.id);
  const QColor line = error ? theme_.error : tint ? tint->line : colors.line;
  const QColor fill = current          ? theme_.currentLine
                      : isMatch(index) ? theme_.match
                      : error          ? theme_.errorFill
                      : tint           ? tint->fill
                                       : colors.fill;
  if (detail_ >= Detail::Blocks) {
    const bool special = error || current || selected;
    painter_.fillRect(special ? box.adjusted(-1, -1, 1, 1) : box, selected ? theme_.accent : line);
    return;
  }
  const double radius = node.shape == NodeShape::Pill ? box.height() / 2 : em() * 0.3;
  if (node.stack > 1) {
    painter_.setPen(QPen(line, 1));
    painter_.setBrush(fill);
    for (int i = 2; i > 0; --i)
      painter_.drawRoundedRect(box.translated(i * em() * 0.18, i * em() * 0.18), radius, radius);
  }
  if (selected) {
    painter_.setPen(QPen(theme_.accent, std::max(2.0, em() * 0.14)));
    painter_.setBrush(Qt::NoBrush);
    const double out = em() * 0.2;
    painter_.drawRoundedRect(box.adjusted(-out, -out, out, out), radius + out, radius + out);
  }
  const bool hovered = node.id == canvas_.hovered_;
  painter_.setPen(QPen(line, error || hovered ? 2 : 1, node.impure ? Qt::DashLine : Qt::SolidLine));
  painter_.setBrush(fill);
  painter_.drawRoundedRect(box, radius, radius);
  if (graph.layout.chips[index].width > 0) paintChip(index, box, selected ? theme_.accent : theme_.grey);
  if (node.count > 1) paintFoldButton(box, true);
  if (tint && tint->sign != TintSign::None) paintSign(tint->sign, tint->line, box);
  if (detail_ != Detail::Full) return;
  const double side = em() * 0.55;
  if (readable() && node.shape == NodeShape::Box && kindMark(node.kind) != KindMark::None)
    drawKindMark(painter_, node.kind, theme_, QRectF(box.left() + em() * 0.25, box.top() + em() * 0.25, side, side));
  if (readable()) paintNodeText(node, mark, box, error ? theme_.error : theme_.grey);
  paintBadges(mark, box);
}

/// What happened to a node between two graphs, as a sign on the middle of its left side.
void GraphPainter::paintSign(TintSign sign, const QColor& ink, const QRectF& box) {
  const double radius = std::max(4.0, em() * 0.42);
  // Outside it, where it is as large as a letter of the label.
  const QPointF at(box.left() - (readable() ? 0 : radius * 0.7), box.center().y());
  painter_.setPen(QPen(theme_.base, 1));
  painter_.setBrush(ink);
  painter_.drawEllipse(at, radius, radius);
  painter_.setPen(QPen(theme_.base, std::max(1.2, radius * 0.28)));
  painter_.setBrush(Qt::NoBrush);
  const double arm = radius * 0.55;
  if (sign == TintSign::Plus || sign == TintSign::Minus) painter_.drawLine(at - QPointF(arm, 0), at + QPointF(arm, 0));
  if (sign == TintSign::Plus) painter_.drawLine(at - QPointF(0, arm), at + QPointF(0, arm));
  if (sign == TintSign::Wave) {
    QPainterPath wave(at - QPointF(arm, 0));
    wave.cubicTo(at + QPointF(-arm * 0.3, -arm * 1.4), at + QPointF(arm * 0.3, arm * 1.4), at + QPointF(arm, 0));
    painter_.drawPath(wave);
  }
  if (sign != TintSign::Arrows) return;
  painter_.drawLine(at - QPointF(0, arm), at + QPointF(0, arm));
  for (const double end : {-arm, arm})
    for (const double side : {-arm * 0.5, arm * 0.5})
      painter_.drawLine(at + QPointF(0, end), at + QPointF(side, end * 0.4));
}

/// The buffer that the value lies in, on the way to its readers.
void GraphPainter::paintChip(uint32_t index, const QRectF& box, const QColor& line) {
  const auto& graph = *canvas_.graph_;
  const QRectF chip = place(graph.layout.chips[index]);
  painter_.setPen(QPen(line, 1));
  // From far away the line goes on to where the chip would be left; the label, where there is room, is drawn later.
  painter_.drawLine(QPointF(chip.center().x(), box.bottom()),
                    QPointF(chip.center().x(), readable() ? chip.top() : chip.bottom()));
  if (!readable()) return;
  painter_.setBrush(theme_.base);
  painter_.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2);
  painter_.setFont(small_);
  painter_.setPen(theme_.text);
  const GraphNode& node = graph.model.nodes[index];
  const NodeMark* mark = canvas_.mark(node.id);
  if (mark && mark->error) painter_.setPen(theme_.error);
  // Of a note its first words say what is wrong; the rest is in the tip.
  const QFontMetricsF metrics(small_);
  const double room = chip.width() - em() * 0.6;
  QString note = noteOf(node, mark, node.chip);
  if (metrics.horizontalAdvance(note) > room) note = note.section(QStringLiteral(" · "), 0, 0);
  painter_.drawText(chip, Qt::AlignCenter, metrics.elidedText(note, Qt::ElideRight, room));
}

/// What a run or a colouring says of a value, else what the graph says of it.
QString GraphPainter::noteOf(const GraphNode& node, const NodeMark* mark, const std::string& otherwise) const {
  const NodeTint* tint = canvas_.tint(node.id);
  if (mark && !mark->note.isEmpty()) return mark->note;
  return tint && !tint->note.isEmpty() ? tint->note : QString::fromStdString(otherwise);
}

void GraphPainter::paintNodeText(const GraphNode& node, const NodeMark* mark, const QRectF& box, const QColor& ink) {
  // A node over a chip has one line: what is to be said of its value stands in the chip.
  const QString subtitle = node.chip.empty() ? noteOf(node, mark, node.subtitle) : QString();
  QFont title = font_;
  title.setBold(node.count > 1 || (mark && (mark->error || mark->current)));
  const QFontMetricsF titleMetrics(title), smallMetrics(small_);
  const QString name = QString::fromStdString(node.title);
  if (node.shape == NodeShape::Pill) return paintPillText(title, name, subtitle, box, ink);
  const double height = titleMetrics.height() + (subtitle.isEmpty() ? 0 : smallMetrics.height());
  const double top = box.center().y() - height / 2;
  // A folded block has its button at the right, in the middle of which no name may end.
  const double side = node.count > 1 ? em() * 1.3 : em() * 0.25;
  QRectF line(box.left() + side, top, box.width() - 2 * side, titleMetrics.height());
  // Nor does it lie on the mark of the kind: a name that a run makes bold is wider than the layout took it for.
  const double behind = kindMark(node.kind) == KindMark::None ? 0 : em() * 1.1;
  if (box.width() - titleMetrics.horizontalAdvance(name) < 2 * behind) line.setLeft(box.left() + behind);
  // It is written a little smaller before a letter of it is left out.
  constexpr double kSmallest = 0.8;
  const double part = line.width() / std::max(1.0, titleMetrics.horizontalAdvance(name) + 1);
  title.setPointSizeF(title.pointSizeF() * std::clamp(part, kSmallest, 1.0));
  painter_.setFont(title);
  painter_.setPen(theme_.text);
  painter_.drawText(line, Qt::AlignCenter, QFontMetricsF(title).elidedText(name, Qt::ElideLeft, line.width()));
  if (subtitle.isEmpty()) return;
  const double width = box.width() - em() * 0.5;
  painter_.setFont(small_);
  painter_.setPen(ink);
  painter_.drawText(QRectF(box.left(), top + titleMetrics.height(), box.width(), smallMetrics.height()),
                    Qt::AlignCenter, smallMetrics.elidedText(subtitle, Qt::ElideRight, width));
}

/// Name and type of an input or the result in one line.
void GraphPainter::paintPillText(const QFont& title, const QString& name, const QString& type, const QRectF& box,
                                 const QColor& ink) {
  const QFontMetricsF titleMetrics(title), smallMetrics(small_);
  const double room = box.width() - em() * 0.8, gap = em() * 0.35;
  const double first = std::min(room, titleMetrics.horizontalAdvance(name));
  const QString rest = smallMetrics.elidedText(type, Qt::ElideRight, std::max(0.0, room - first - gap));
  const double all = first + (rest.isEmpty() ? 0 : gap + smallMetrics.horizontalAdvance(rest));
  QRectF line(box.center().x() - all / 2, box.top(), first, box.height());
  painter_.setFont(title);
  painter_.setPen(theme_.text);
  painter_.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, titleMetrics.elidedText(name, Qt::ElideRight, first));
  if (rest.isEmpty()) return;
  line = QRectF(line.right() + gap, box.top(), all - first, box.height());
  painter_.setFont(small_);
  painter_.setPen(ink);
  painter_.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, rest);
}

/// A triangle for an error and a dot for a breakpoint, at the upper corners: shapes, for those who see no colours.
void GraphPainter::paintBadges(const NodeMark* mark, const QRectF& box) {
  if (!mark) return;
  // From afar it is as large as the letters are then.
  const double size = 0.42 * std::max(em(), em_ * kReadableScale);
  if (mark->error) {
    const QPointF at(box.right(), box.top());
    QPolygonF triangle;
    triangle << at + QPointF(0, -size) << at + QPointF(size, size * 0.75) << at + QPointF(-size, size * 0.75);
    painter_.setPen(QPen(theme_.base, 1));
    painter_.setBrush(theme_.error);
    painter_.drawPolygon(triangle);
    painter_.setPen(QPen(theme_.base, std::max(1.0, size * 0.22)));
    painter_.drawLine(at + QPointF(0, -size * 0.3), at + QPointF(0, size * 0.2));
    painter_.drawPoint(at + QPointF(0, size * 0.5));
  }
  if (mark->breakpoint) {
    painter_.setPen(QPen(theme_.base, 1));
    painter_.setBrush(theme_.breakpoint);
    painter_.drawEllipse(QPointF(box.left(), box.top()), size * 0.75, size * 0.75);
  }
}

/// The word beside the node, where that meets no other of those on screen; else over its lower edge.
void GraphPainter::paintRoot(const QRectF& box) {
  const auto meetsNode = [&](const QRectF& word) {
    return std::any_of(boxes_.begin(), boxes_.end(), [&](const QRectF& other) { return other.intersects(word); });
  };
  const QString word = GraphCanvas::tr("root");
  QFont font = canvas_.font();
  font.setPointSizeF(font.pointSizeF() * std::clamp(canvas_.scale_, kReadableScale, 1.0));
  font.setBold(true);
  const QFontMetricsF metrics(font);
  const QSizeF size(metrics.horizontalAdvance(word) + metrics.height(), metrics.height());
  const double gap = em() * 0.7;
  QRectF pill(QPointF(box.right() + gap, box.center().y() - size.height() / 2), size);
  if (meetsNode(pill)) pill.moveRight(box.left() - gap);
  if (meetsNode(pill)) pill.moveCenter(QPointF(box.center().x(), box.bottom()));
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(theme_.error);
  painter_.drawRoundedRect(pill, size.height() / 2, size.height() / 2);
  painter_.setFont(font);
  painter_.setPen(theme_.base);
  painter_.drawText(pill, Qt::AlignCenter, word);
}

/// Beside the graph, never on it.
void GraphPainter::paintOverview() {
  const QRectF map = canvas_.overviewRect();
  if (!map.isValid()) return;
  const QRectF strip = QRectF(canvas_.rect()).adjusted(canvas_.viewRect().width() + canvas_.railWidth(), 0, 0, 0);
  painter_.fillRect(strip, theme_.panel);
  painter_.setPen(theme_.border);
  painter_.drawLine(strip.topLeft(), strip.bottomLeft());
  const GraphSize size = canvas_.graph_->layout.size;
  const double fx = map.width() / size.width, fy = map.height() / size.height;
  const double ratio = canvas_.devicePixelRatioF();
  if (canvas_.overview_.size() != (map.size() * ratio).toSize()) canvas_.overview_ = overviewPicture(map.size(), ratio);
  painter_.drawPixmap(map.topLeft(), canvas_.overview_);
  QRectF seen(map.left() + view_.left() * fx, map.top() + view_.top() * fy, view_.width() * fx, view_.height() * fy);
  seen = seen.intersected(map.adjusted(-3, -3, 3, 3));
  painter_.setPen(QPen(theme_.accent, 2));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(seen);
}

QPixmap GraphPainter::overviewPicture(const QSizeF& wanted, double ratio) const {
  QPixmap picture((wanted * ratio).toSize());
  picture.setDevicePixelRatio(ratio);
  picture.fill(theme_.panel);
  QPainter painter(&picture);
  const auto& graph = *canvas_.graph_;
  const double fx = wanted.width() / graph.layout.size.width, fy = wanted.height() / graph.layout.size.height;
  const size_t step = std::max<size_t>(1, graph.model.nodes.size() / 4000);
  for (size_t n = 0; n < graph.model.nodes.size(); ++n) {
    const GraphRect& box = graph.layout.nodes[n];
    const NodeMark* mark = canvas_.mark(graph.model.nodes[n].id);
    const bool error = mark && mark->error;
    if (box.width <= 0 || (n % step && !error)) continue;
    const QRectF dot(box.x * fx, box.y * fy, std::max(1.0, box.width * fx),
                     std::max(error ? 2.0 : 1.0, box.height * fy));
    painter.fillRect(dot, error ? theme_.error : theme_.of(graph.model.nodes[n].kind).line);
  }
  return picture;
}

void GraphPainter::paintBusy() {
  const QString text = GraphCanvas::tr("Arranging the graph…");
  const QFontMetricsF metrics(canvas_.font());
  const double pad = metrics.height() * 0.5;
  const QRectF box(pad, pad, metrics.horizontalAdvance(text) + 2 * pad, metrics.height() + pad);
  painter_.setFont(canvas_.font());
  painter_.fillRect(box, theme_.warningFill);
  painter_.setPen(theme_.warning);
  painter_.drawText(box, Qt::AlignCenter, text);
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  GraphPainter(*this, painter).paint();
}

}  // namespace rx
