// The first difference of two nodes as a message.
#pragma once

#include <string>

#include "core/ir/structural_equal.h"
#include "core/script/parse.h"

namespace rx::script {

/// The path on the first line, then what each side has there, a line each.
std::string differenceText(const Difference& difference);

/// The first difference of two units of text. The name of a function on its own is not part of it; such a function may
/// equal a module of one.
std::optional<Difference> firstDifference(const ParsedUnit& lhs, const ParsedUnit& rhs,
                                          FreeVars freeVars = FreeVars::ByName);

}  // namespace rx::script
