// State of a run on the nodes of a graph.
#pragma once

#include "views/canvas/graph_canvas.h"
#include "views/models/debug_session.h"
#include "views/models/function_graph.h"

namespace rx::views {

/// State of a run on the nodes of its stage: errors, the current binding, breakpoints, shapes with what is bad. A
/// binding that is folded marks the node that stands for it.
std::unordered_map<uint64_t, NodeMark> runMarks(int stage, const FunctionRow& function, const FunctionGraph& graph,
                                                const DebugSession& debug);

}  // namespace rx::views
