// What differs in the graph of a function between two stages.
#pragma once

#include <unordered_map>

#include "views/models/function_graph.h"

namespace rx::views {

enum class NodeChange : uint8_t { Added, Removed, Changed, Moved, Renamed };
using NodeChanges = std::unordered_map<uint64_t, NodeChange>;

/// Of the nodes of `graph`, which is that of `function` at the stage `here`, against the stage `other`: what is not
/// there was added where the other stage is the earlier one, else it will be removed. A node that the other stage has
/// only under the same name is changed. For worker threads: it makes the other graph.
NodeChanges changesOf(const StageIndex& here, const FunctionRow& function, const FunctionGraph& graph,
                      const StageIndex& other);

/// "changed", for notes and dumps.
QString changeName(NodeChange change);

}  // namespace rx::views
