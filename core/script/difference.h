// The first difference of two nodes as a message.
#pragma once

#include <string>

#include "core/ir/structural_equal.h"

namespace rx::script {

/// The path on the first line, then what each side has there, a line each.
std::string differenceText(const Difference& difference);

}  // namespace rx::script
