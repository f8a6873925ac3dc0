// A walk over statements and expressions that tells where each ends.
#pragma once

#include <functional>

#include "core/ir/node.h"

namespace rx::lower {

/// Visits the node and what is below it in order, parents first: `enter` returns whether to go below, and `leave` comes
/// after what is below (also where that was left out). Buffers are not entered: their pointers and sizes are no uses.
/// Without native recursion; a node that is reached twice is visited twice.
void walkNested(const Node& root, const std::function<bool(const Node&)>& enter,
                const std::function<void(const Node&)>& leave);

}  // namespace rx::lower
