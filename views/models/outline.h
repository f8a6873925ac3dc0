// The blocks of a function by their names, for every view that lists what is in it.
#pragma once

#include "views/graph/layer_fold.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// Smaller functions are read whole; folding them would only hide.
inline constexpr size_t kOutlineFrom = 24;

/// The blocks that come again, and what stands before and behind all of them, in text order; none of a function with
/// fewer than kOutlineFrom nodes, or where nothing comes again. What the graph of the function folds. Blocks that come
/// from one block of `first`, the first stage, are called as it is there: passes change what a block looks like.
std::vector<OutlineRow> outlineOf(const FunctionRow& function, const StageIndex* first = nullptr);

/// How many equal blocks stand one after the other from that row of the outline on: two and more fold to one stack.
size_t stackFrom(const FunctionRow& function, size_t row);

/// The block that is shown unfolded among folded ones: the first of the largest that stand in no stack, else the first
/// of a stack, of those that are not too long to be read at once; null where there is none. Where `first`, the first
/// stage, has the function with such a block, it is what became of that one: passes make blocks differ that were equal.
const OutlineRow* exampleBlock(const FunctionRow& function, const StageIndex* first = nullptr);

/// Calls the runs of a graph of the function as its outline does, where that tells all of them apart.
void takeNames(const FunctionRow& function, const GraphModel& graph, std::vector<LayerRun>* runs);

}  // namespace rx::views
