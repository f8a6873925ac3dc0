// rxs run --trace: every value that a step made, as .npy with its statistics.
#pragma once

#include <string>

#include "core/support/result.h"

namespace rx::cli {

/// Writes what each kernel and packed function of a recorded run made: `NNNNN_function_binding.npy` and `trace.json`
/// with step, function, binding of the imported module, shape, type, min, max, mean, NaN and Inf counts. What was made
/// before a fault is written too. Fails with the rules of recordings and of files.
Result<Unit> writeTrace(const std::string& recording, const std::string& folder);

}  // namespace rx::cli
