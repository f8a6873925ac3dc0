// What shows with little that a pass changed what is computed: the module before it, cut down to what the difference
// needs, with its inputs, as files that `rxs bisect` runs again.
#pragma once

#include <optional>

#include "app/rxs/stage_search.h"

namespace rx::cli {

struct Reproducer {
  std::string command;  ///< that shows it
  size_t bindings = 0;  ///< of the function, and of the one that it was cut from
  size_t bindingsBefore = 0;
  size_t inputs = 0;
  bool reduced = false;  ///< stages of a folder are written as they are: no pass makes the second from the first
};

/// Writes it into a folder, which is made where it is missing. `search` has found a guilty stage, in `setup.folder` as
/// StageRuns leaves it. Every cut is tried: the module with it has to show the same. Fails with bisect.reproducer where
/// the guilty pass alone does not, and as reading, writing and binding inputs do.
Result<Reproducer> writeReproducer(const StageRuns::Setup& setup, const StageSearch& search, const std::string& folder,
                                   std::optional<ConfinedOutputs> confined);

}  // namespace rx::cli
