// host.Nests: loops around one store that are no stage, as they write where data say: scatters, and what is copied for
// them.
#pragma once

#include <string>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The statement with each such nest in loops over what its counters are taken apart into, in vectors along an axis
/// that all lies in order of. Null where no nest gains by that. Indices that data choose are taken for numbers of any
/// size, as everywhere in a shortest form: one so large that its place would not fit its type is outside.
tir::Stmt storeNests(const tir::Stmt& statement, const VectorShape& vectors, std::string& why);

}  // namespace rx::schedule
