// Whether the clauses of a match fit every value.
#pragma once

#include <string>

#include "core/relay/infer_function.h"

namespace rx::relay {

/// A case that no clause fits, as a pattern; empty where there is none, or where telling would take too long.
std::string unmatchedCase(const Match& match, const Surroundings& around);

}  // namespace rx::relay
