// Layout of a whole graph: regions inside regions, labels in place of long edges.
#pragma once

#include <functional>

#include "views/canvas/layered.h"

namespace rx {

/// A label beside `target` that stands for an edge from `source`.
struct StubBox {
  uint32_t source = 0;
  uint32_t target = 0;
  GraphRect box;
};

struct EdgePath {
  uint32_t edge = 0;               ///< index in GraphModel::edges
  std::vector<GraphPoint> points;  ///< from the bottom of `from` (or its chip) to the top of `to`; tangents vertical
};

/// Everything in one coordinate system with its origin in the left top corner.
struct GraphLayout {
  std::vector<GraphRect> nodes;  ///< width 0: the node is shown by stubs only
  std::vector<GraphRect> chips;  ///< one a node, under it; width 0: it has none
  std::vector<GraphRect> regions;
  std::vector<StubBox> stubs;
  std::vector<EdgePath> edges;  ///< those that are drawn as lines
  GraphSize size;
};

/// Sizes of what is drawn, in any unit: `sizes` one a node, `stubSizes` one a node for its label.
struct GraphMetrics {
  std::vector<GraphSize> sizes;
  std::vector<GraphSize> stubSizes;
  std::vector<GraphSize> chipSizes;  ///< of the label under a node, width 0 for none; empty: no node has one
  std::vector<double> wishes;        ///< see FlatGraph; empty: none
  LayoutOptions options;
};

/// Nothing when cancelled. `model.fault()` must be empty.
std::optional<GraphLayout> layoutGraph(const GraphModel& model, const GraphMetrics& metrics, const CancelToken& cancel);

}  // namespace rx
