// Arguments of calls that only say what holds without them: `R.matmul(x, w, out_dtype="void")` is `R.matmul(x, w)`.
#pragma once

#include <string_view>
#include <vector>

#include "views/text/line_metrics.h"

namespace rx::views {

/// Where the calls of operators in a line name the default of a parameter, with the comma before it; in order.
std::vector<Shortening> defaultArguments(std::string_view line);

}  // namespace rx::views
