// The blocks of a function by their names, for every view that lists what is in it.
#pragma once

#include "views/models/stage_index.h"

namespace rx::views {

/// Smaller functions are read whole; folding them would only hide.
inline constexpr size_t kOutlineFrom = 24;

/// The blocks that come again, and what stands before and behind all of them, in text order; none of a function with
/// fewer than kOutlineFrom nodes, or where nothing comes again. What the graph of the function folds.
std::vector<OutlineRow> outlineOf(const FunctionRow& function);

}  // namespace rx::views
