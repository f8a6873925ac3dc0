// How large the parts of a graph are drawn: measured on the worker that lays it out.
#pragma once

#include <QFont>
#include <QString>
#include <functional>
#include <memory>
#include <unordered_map>

#include "views/canvas/graph_layout.h"

namespace rx {

/// x of the middle of nodes, by GraphNode::placeKey.
using GraphPlaces = std::unordered_map<std::string, double>;

struct GraphMeasure {
  QFont font;
  bool weightLabels = false;
  std::function<QString(qint64)> sizeText;    ///< may be empty
  std::shared_ptr<const GraphPlaces> places;  ///< where nodes would like to stand; may be null

  GraphMetrics of(const GraphModel& model) const;
};

/// "w5 (64, 64, 3, 3) f32 · 147.5 kB" of a weight; the title of any other node.
std::string weightLabel(const GraphNode& node, const std::function<QString(qint64)>& sizeText);

}  // namespace rx
