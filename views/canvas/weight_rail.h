// The rail beside the graph: the bytes of the weights that each node reads, at its height.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// A line of the rail on screen. Nodes that stand closer than a line of text share one.
struct RailRow {
  QRectF rect;
  std::vector<uint32_t> nodes;
  int64_t bytes = 0;  ///< of those of known size
  size_t weights = 0;
  QString size;  ///< "38.7 kB"
  QString name;  ///< "w5"; empty for several
  QString what;  ///< "w5 (64, 64, 3, 3) f32", "5 weights"
};

/// Those on screen, from the top.
std::vector<RailRow> railRows(const GraphCanvas& canvas);

/// All weights of a row, one a line.
QString railTip(const GraphCanvas& canvas, const RailRow& row);

void paintRail(QPainter& painter, const GraphCanvas& canvas);

}  // namespace rx
