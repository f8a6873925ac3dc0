// The names of regions, each in the line at the upper border of its frame, beside what crosses that.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// Over the lines and under the nodes, which stand in `boxes` on screen. A name stays on screen while any of its region
/// is. Gives the places that names have taken.
std::vector<QRectF> paintRegionNames(QPainter& painter, const GraphCanvas& canvas, const std::vector<QRectF>& boxes);

}  // namespace rx
