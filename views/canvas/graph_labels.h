// Labels of a graph that is seen from so far that its own texts are too small: fewer of them, at a size that can be
// read.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// Draws names on or beside the nodes on screen, most telling first (selected, wrong, folded), none over another.
/// Where a box has two lines, what is to be said of its value stands in the second. `boxes` are those of the nodes that
/// are `visible` as they are drawn, `names` the places that are taken already.
void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
                    const std::vector<QRectF>& boxes, const std::vector<QRectF>& names);

}  // namespace rx
