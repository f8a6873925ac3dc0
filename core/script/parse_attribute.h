// A value of Python on its own, as attributes hold them.
#pragma once

#include <string_view>

#include "core/ir/attrs.h"
#include "core/support/result.h"

namespace rx::script {

/// Reads one expression: numbers, texts, lists, dictionaries, and what dialects make of them, such as
/// `T.index_map(lambda i, j: (j, i))`. Its diagnostics have no places.
Result<NodeRef> parseAttribute(std::string_view text);

}  // namespace rx::script
