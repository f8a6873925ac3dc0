// Labels of a graph that is seen from so far that its own texts are too small: fewer of them, at a size that can be
// read.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// From this scale down the texts inside the nodes give way to labels.
inline constexpr double kReadableScale = 0.72;
/// Down to this one the operators of nodes can be read in them.
inline constexpr double kLegibleScale = 0.33;

/// The boxes of nodes as they are drawn from afar: wider than the layout has them where the label needs that and
/// nothing stands there. In the order of `visible`, the indices of the nodes on screen.
std::vector<QRectF> farBoxes(const GraphCanvas& canvas, const std::vector<uint32_t>& visible);

/// Draws names on or beside the nodes on screen, most telling first (selected, wrong, folded), none over another.
/// `boxes` are those of farBoxes().
void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible,
                    const std::vector<QRectF>& boxes);

}  // namespace rx
