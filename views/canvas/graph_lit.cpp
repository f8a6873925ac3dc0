#include "views/canvas/graph_lit.h"

#include <QFontMetricsF>
#include <QPen>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace rx {
namespace {

QFont smallFont(const GraphCanvas& canvas) {
  QFont small = canvas.font();
  small.setPointSizeF(small.pointSizeF() * 0.85);
  return small;
}

/// Beyond which border a box lies; sideways only where it is at the height of the view.
std::optional<Qt::Edge> edgeBeyond(const QRectF& box, const QRectF& view) {
  if (box.bottom() < view.top()) return Qt::TopEdge;
  if (box.top() > view.bottom()) return Qt::BottomEdge;
  if (box.right() < view.left()) return Qt::LeftEdge;
  if (box.left() > view.right()) return Qt::RightEdge;
  return std::nullopt;
}

QRectF pillAt(Qt::Edge edge, const QRectF& view, const QSizeF& size, double gap) {
  const QPointF middle = view.center();
  switch (edge) {
    case Qt::TopEdge:
      return {QPointF(middle.x() - size.width() / 2, view.top() + gap), size};
    case Qt::BottomEdge:
      return {QPointF(middle.x() - size.width() / 2, view.bottom() - gap - size.height()), size};
    case Qt::LeftEdge:
      return {QPointF(view.left() + gap, middle.y() - size.height() / 2), size};
    case Qt::RightEdge:
      break;
  }
  return {QPointF(view.right() - gap - size.width(), middle.y() - size.height() / 2), size};
}

QPolygonF arrow(Qt::Edge edge, const QPointF& middle, double size) {
  QPolygonF triangle;
  const double a = size * 0.5;
  switch (edge) {
    case Qt::TopEdge:
      return triangle << middle + QPointF(0, -a) << middle + QPointF(a, a) << middle + QPointF(-a, a);
    case Qt::BottomEdge:
      return triangle << middle + QPointF(0, a) << middle + QPointF(a, -a) << middle + QPointF(-a, -a);
    case Qt::LeftEdge:
      return triangle << middle + QPointF(-a, 0) << middle + QPointF(a, -a) << middle + QPointF(a, a);
    case Qt::RightEdge:
      break;
  }
  return triangle << middle + QPointF(a, 0) << middle + QPointF(-a, -a) << middle + QPointF(-a, a);
}

}  // namespace

std::vector<LitPill> litPills(const GraphCanvas& canvas) {
  std::vector<LitPill> pills;
  if (canvas.lit().empty()) return pills;
  const QRectF view = canvas.viewRect();
  constexpr std::array kEdges{Qt::TopEdge, Qt::BottomEdge, Qt::LeftEdge, Qt::RightEdge};
  const QFontMetricsF metrics(smallFont(canvas));
  for (const Qt::Edge edge : kEdges) {
    LitPill pill{{}, edge, 0, 0, {}};
    double nearest = -1;
    for (const uint32_t n : canvas.lit()) {
      const QRectF box = canvas.rectAt(canvas.graph()->layout.nodes[n]);
      if (edgeBeyond(box, view) != edge) continue;
      pill.hits += canvas.hitsOf(canvas.graph()->model.nodes[n].id);
      const double away = (box.center() - view.center()).manhattanLength();
      if (nearest < 0 || away < nearest) nearest = away, pill.nearest = n;
    }
    if (pill.hits == 0) continue;
    pill.text = edge == Qt::TopEdge      ? GraphCanvas::tr("%1 above").arg(pill.hits)
                : edge == Qt::BottomEdge ? GraphCanvas::tr("%1 below").arg(pill.hits)
                                         : GraphCanvas::tr("%1 more").arg(pill.hits);
    const QSizeF size(metrics.horizontalAdvance(pill.text) + metrics.height() * 2, metrics.height() * 1.3);
    pill.rect = pillAt(edge, view, size, metrics.height() * 0.3);
    pills.push_back(pill);
  }
  return pills;
}

void paintHalos(QPainter& painter, const GraphCanvas& canvas) {
  const double width = std::max(3.0, canvas.fontMetrics().height() * 0.32 * canvas.scale());
  for (const uint32_t n : canvas.lit()) {
    const QRectF box = canvas.rectAt(canvas.graph()->layout.nodes[n]).adjusted(-width, -width, width, width);
    if (!box.intersects(canvas.viewRect())) continue;
    painter.setPen(QPen(canvas.theme().warning, 1));
    painter.setBrush(canvas.theme().match);
    painter.drawRoundedRect(box, width * 1.5, width * 1.5);
  }
}

void paintLitPills(QPainter& painter, const GraphCanvas& canvas) {
  if (canvas.lit().empty()) return;
  const Palette& theme = canvas.theme();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(smallFont(canvas));
  const QFontMetricsF metrics(painter.font());
  const auto pill = [&](const QRectF& rect, const QString& text) {
    painter.setPen(QPen(theme.warning, 1));
    painter.setBrush(theme.match);
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    painter.setPen(theme.text);
    painter.drawText(rect, Qt::AlignCenter, text);
  };
  for (const uint32_t n : canvas.lit()) {
    const int hits = canvas.hitsOf(canvas.graph()->model.nodes[n].id);
    const QRectF box = canvas.rectAt(canvas.graph()->layout.nodes[n]);
    if (hits < 2 || !box.intersects(canvas.viewRect())) continue;
    const QString text = QStringLiteral("× %1").arg(hits);
    const QSizeF size(metrics.horizontalAdvance(text) + metrics.height() * 0.8, metrics.height());
    pill(QRectF(box.topLeft() - QPointF(size.width() / 2, size.height() / 2), size), text);
  }
  for (const LitPill& one : litPills(canvas)) {
    pill(one.rect, QString());
    const double side = metrics.height() * 0.55;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.warning);
    painter.drawPolygon(
        arrow(one.edge, QPointF(one.rect.left() + metrics.height() * 0.75, one.rect.center().y()), side));
    painter.setPen(theme.text);
    painter.drawText(one.rect.adjusted(metrics.height() * 1.2, 0, -metrics.height() * 0.4, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, one.text);
  }
  painter.restore();
}

}  // namespace rx
