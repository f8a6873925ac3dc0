// Literals in the table of attributes: 1, 0.5, True, None, 'text', [1, [2]].
#pragma once

#include <string_view>

#include "core/ir/attrs.h"

namespace rx::relay {

/// The value of a well-formed literal; the tables that hold them are ours.
NodeRef readLiteral(std::string_view text);

}  // namespace rx::relay
