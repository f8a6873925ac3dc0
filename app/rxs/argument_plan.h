// Where the arguments of a run come from, as JSON for programs that show it before the run.
#pragma once

#include <string>

#include "app/rxs/arguments.h"

namespace rx::cli {

/// What gatherArguments would do: {"parameters": [dap::ParameterCheck], "arrays": [{"array", "preview"}], "problems":
/// ["…"]}.
std::string planJson(const relax::Function& function, std::string_view name, const ArgumentSources& sources);

}  // namespace rx::cli
