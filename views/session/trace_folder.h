// Reads a folder that `rxs run --trace` wrote: its list of values, each with the header of its array.
#pragma once

#include "core/support/result.h"
#include "views/models/traced_values.h"

namespace rx::views {

/// The rows of `folder`/trace.json. References count down from `firstReference`. Arrays are not read, only their
/// headers. Fails with trace.folder: not such a folder, another version, damaged, an array that is missing, stands
/// elsewhere or is another one than the list says.
Result<std::vector<TracedRow>> readTraceFolder(const QString& folder, int firstReference);

}  // namespace rx::views
