// What the processor of this machine can do, asked of it alone: where there is no LLVM to ask, as in packages.
#pragma once

#include <string_view>

namespace rx {

/// The first of these features that the processor does not have, or whose registers the system does not keep; "" where
/// it has all. They are of processor_features.def, with spaces between them; any other counts as missing.
std::string_view missingFeature(std::string_view features);

/// Asks the system, at the first call, for the tile registers of the processor, for all threads of this process;
/// whether it gives them. Code may use them only then.
bool mayUseTiles();

}  // namespace rx
