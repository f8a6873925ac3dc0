// The head of a function with many weights: `def main(x: R.Tensor(…), … 102 weights) -> …`.
#pragma once

#include <string_view>
#include <vector>

#include "views/models/stage_index.h"
#include "views/text/line_metrics.h"

namespace rx::views {

/// Where a line that begins a function lists its weights, if there are many; else nothing.
std::vector<Shortening> weightsOfHead(const StageIndex& stage, std::string_view line);

}  // namespace rx::views
