// State of a run on the nodes of a graph.
#pragma once

#include "views/canvas/graph_canvas.h"
#include "views/models/debug_session.h"
#include "views/models/function_graph.h"

namespace rx::views {

/// State of a run on the nodes of its stage.
struct RunMarks {
  std::unordered_map<uint64_t, NodeMark> marks;
  std::unordered_map<uint64_t, int> bad;  ///< ordinal of a binding with a bad value, by the node that shows it
};

/// Errors, the current binding, breakpoints. A binding that is folded marks the node that stands for it.
RunMarks runMarks(int stage, const FunctionRow& function, const FunctionGraph& graph, const DebugSession& debug);

/// What is bad about the value of a binding, with its shape; empty where the value is not known any more.
QString badNote(const FunctionRow& function, int binding, const DebugSession& debug);

}  // namespace rx::views
