// What a search found in a stage, as ranges of its text.
#pragma once

#include <vector>

#include "views/models/search.h"
#include "views/text/decorations.h"

namespace rx::views {

/// The first lines of the bindings that were found, and of what is no binding its line; functions and blocks, whose
/// names are in every list, have no light.
std::vector<LitRange> litRanges(const StageIndex& stage, const std::vector<SearchHit>& hits);

}  // namespace rx::views
