// rxs run --trace: every value that a step made, as .npy with its statistics.
#pragma once

#include <string>

#include "core/runtime/machine.h"

namespace rx::cli {

/// Runs a started machine (that records) to its end and writes what each kernel and packed function made:
/// `NNNNN_function_binding.npy` and `trace.json` with step, function, binding of the imported module, shape, type, min,
/// max, mean, NaN and Inf counts. What was made before a fault is written too.
Result<Unit> runTraced(vm::Machine& machine, const std::string& folder);

}  // namespace rx::cli
