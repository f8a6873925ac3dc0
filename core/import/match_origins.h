// Origins in a folder of dumps: no file says which binding came from which, so bindings of consecutive stages are
// matched.
#pragma once

#include <vector>

#include "core/import/phase_dumps.h"

namespace rx::import {

/// Gives the bindings of stages that were just read their origins: those of the first readable stage their own places,
/// those of the following ones the origins of what they are matched to in the readable stage before. A binding of the
/// same name that computes the same or has the same StructInfo is the same one; so is one that computes the same from
/// the same; a buffer, the call that writes it and the name of the result belong together; what is left stands for what
/// is left of the stage before between the same neighbours, where they read something in common. Ends of values and
/// memory that nothing is known of stay without an origin, and a function that no earlier stage has is its own. Sources
/// of earlier stages are added to those of a module, so that the places can be told.
void matchOrigins(std::vector<DumpedStage>& stages);

}  // namespace rx::import
