// The neighbourhood of a node as a graph of its own.
#pragma once

#include "views/graph/graph_model.h"

namespace rx {

/// The nodes that are at most `distance` edges away from the node with that id, in any direction, with the edges
/// between them and without regions; the model itself when it has no such node.
GraphModel neighbourhood(const GraphModel& model, uint64_t id, int distance);

}  // namespace rx
