// Lit nodes: a halo round each, and at the borders of the view how many are out of sight.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// Says how many hits lie beyond a border of the view; a click goes to the nearest.
struct LitPill {
  QRectF rect;
  Qt::Edge edge = Qt::TopEdge;
  int hits = 0;
  uint32_t nearest = 0;
  QString text;
};

/// One a border that hides any.
std::vector<LitPill> litPills(const GraphCanvas& canvas);

/// Under the nodes.
void paintHalos(QPainter& painter, const GraphCanvas& canvas);
/// Over everything: the pills, and how many hits a node stands for where it is more than one.
void paintLitPills(QPainter& painter, const GraphCanvas& canvas);

}  // namespace rx
