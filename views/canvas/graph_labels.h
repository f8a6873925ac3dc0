// Labels of a graph that is seen from so far that its own texts are too small: fewer of them, at a size that can be read.
#pragma once

#include <QPainter>

#include "views/canvas/graph_canvas.h"

namespace rx {

/// From this scale down the texts inside the nodes give way to labels.
inline constexpr double kReadableScale = 0.72;

/// Draws names beside or on the nodes on screen, most telling first (selected, wrong, folded), none over another.
/// `visible` are the indices of the nodes on screen.
void paintFarLabels(QPainter& painter, const GraphCanvas& canvas, const std::vector<uint32_t>& visible);

}  // namespace rx
