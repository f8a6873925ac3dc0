#include "views/canvas/weight_rail.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace rx {
namespace {

constexpr size_t kLongestTip = 24;
constexpr double kLongestBar = 0.42;  // of the width of the rail

QFont smallFont(const GraphCanvas& canvas) {
  QFont small = canvas.font();
  small.setPointSizeF(small.pointSizeF() * 0.85);
  return small;
}

QString weightText(const GraphCanvas& canvas, const GraphWeight& weight) {
  QStringList parts{QString::fromStdString(weight.name), QString::fromStdString(weight.type)};
  parts.removeAll(QString());
  if (weight.bytes >= 0) parts += QStringLiteral("· ") + canvas.sizeText(weight.bytes);
  return parts.join(QLatin1Char(' '));
}

void describe(const GraphCanvas& canvas, RailRow* row) {
  const GraphNode& first = canvas.graph()->model.nodes[row->nodes.front()];
  if (row->weights == 1) {
    const GraphWeight& weight = first.weights.front();
    row->name = QString::fromStdString(weight.name);
    row->what = QString::fromStdString(weight.type.empty() ? weight.name : weight.name + ' ' + weight.type);
  } else {
    row->what = GraphCanvas::tr("%1 weights").arg(row->weights);
  }
  row->size = row->bytes > 0 ? canvas.sizeText(row->bytes) : QStringLiteral("? B");
}

/// The node, or one of its weights.
bool isSelected(const GraphCanvas& canvas, const RailRow& row) {
  return std::any_of(row.nodes.begin(), row.nodes.end(), [&](uint32_t n) {
    const GraphNode& node = canvas.graph()->model.nodes[n];
    return node.id == canvas.selected() ||
           std::any_of(node.weights.begin(), node.weights.end(),
                       [&](const GraphWeight& weight) { return weight.id == canvas.selected(); });
  });
}

double headHeight(const GraphCanvas& canvas) { return QFontMetricsF(canvas.font()).height() * 1.6; }

}  // namespace

std::vector<RailRow> railRows(const GraphCanvas& canvas) {
  const QRectF rail = canvas.railRect();
  std::vector<RailRow> rows;
  if (!rail.isValid()) return rows;
  const LaidGraph& graph = *canvas.graph();
  const double height = QFontMetricsF(smallFont(canvas)).height() * 1.15, head = headHeight(canvas);
  struct At {
    double y;
    uint32_t node;
  };
  std::vector<At> nodes;
  for (const uint32_t n : graph.nodeBands.between(canvas.sceneY(head), canvas.sceneY(canvas.height()))) {
    if (graph.model.nodes[n].weights.empty()) continue;
    const double y = canvas.rectAt(graph.layout.nodes[n]).center().y();
    if (y >= head + height / 2 && y <= canvas.height() - height / 2) nodes.push_back({y, n});
  }
  std::sort(nodes.begin(), nodes.end(), [](const At& a, const At& b) { return a.y < b.y; });
  for (const At& at : nodes) {
    const bool same = !rows.empty() && at.y - rows.back().rect.center().y() < height;
    if (!same) rows.push_back({QRectF(rail.left(), at.y - height / 2, rail.width(), height), {}, 0, 0, {}, {}, {}});
    rows.back().nodes.push_back(at.node);
    for (const GraphWeight& weight : graph.model.nodes[at.node].weights) {
      ++rows.back().weights;
      rows.back().bytes += std::max<int64_t>(0, weight.bytes);
    }
  }
  for (RailRow& row : rows) describe(canvas, &row);
  return rows;
}

QString railTip(const GraphCanvas& canvas, const RailRow& row) {
  QStringList lines;
  size_t left = 0;
  for (const uint32_t n : row.nodes) {
    const GraphNode& node = canvas.graph()->model.nodes[n];
    lines += QString::fromStdString(node.title);
    for (const GraphWeight& weight : node.weights) {
      if (static_cast<size_t>(lines.size()) < kLongestTip) {
        lines += QStringLiteral("  ") + weightText(canvas, weight);
      } else {
        ++left;
      }
    }
    if (static_cast<size_t>(lines.size()) >= kLongestTip) break;
  }
  if (left > 0) lines += GraphCanvas::tr("and %1 more").arg(left);
  return lines.join(QLatin1Char('\n'));
}

void paintRail(QPainter& painter, const GraphCanvas& canvas) {
  const QRectF rail = canvas.railRect();
  if (!rail.isValid()) return;
  const Palette& theme = canvas.theme();
  const LaidGraph& graph = *canvas.graph();
  const double em = QFontMetricsF(canvas.font()).height(), gap = em * 0.5;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(rail, theme.base);
  QFont bold = smallFont(canvas);
  bold.setBold(true);
  const QRectF head(rail.left() + gap, 0, rail.width() - gap, headHeight(canvas));
  painter.setFont(bold);
  painter.setPen(theme.text);
  const QString title = GraphCanvas::tr("weights");
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, title);
  const double titleWidth = QFontMetricsF(bold).horizontalAdvance(title) + gap;
  const QFont small = smallFont(canvas);
  const QFontMetricsF metrics(small);
  painter.setFont(small);
  painter.setPen(theme.grey);
  if (graph.weightBytes > 0) {
    const QRectF rest = head.adjusted(titleWidth, 0, 0, 0);
    const QString size = canvas.sizeText(graph.weightBytes), all = GraphCanvas::tr("%1 in all").arg(size);
    const QString& fits = metrics.horizontalAdvance(all) <= rest.width() ? all : size;
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(fits, Qt::ElideRight, rest.width()));
  }
  for (const RailRow& row : railRows(canvas)) {
    if (isSelected(canvas, row)) painter.fillRect(row.rect, theme.selection);
    const double share =
        graph.mostWeight > 0 ? static_cast<double>(row.bytes) / static_cast<double>(graph.mostWeight) : 0;
    const double length = std::max(2.0, std::min(1.0, share) * rail.width() * kLongestBar);
    const QRectF bar(rail.left() + gap, row.rect.center().y() - em * 0.3, length, em * 0.6);
    painter.fillRect(bar, theme.of(OpKind::Constant).bar);
    QRectF text = row.rect;
    text.setLeft(bar.right() + gap);
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(row.size, Qt::ElideRight, text.width()));
    text.setLeft(text.left() + metrics.horizontalAdvance(row.size) + gap);
    painter.setPen(theme.grey);
    text.setRight(text.right() - gap);
    // What is cut says nothing: a name gives up its shape, a count all of it.
    for (const QString& what : {row.what, row.weights == 1 ? row.name : QString()}) {
      if (what.isEmpty() || metrics.horizontalAdvance(what) > text.width()) continue;
      painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, what);
      break;
    }
  }
  painter.restore();
}

}  // namespace rx
