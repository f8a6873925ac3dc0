// JSON as attribute values: configuration of passes as the command line gives it.
#pragma once

#include <string_view>

#include "core/ir/attrs.h"
#include "core/support/result.h"

namespace rx::pass {

/// Reads a JSON object: null, booleans, numbers, texts, arrays and objects become the attribute values of
/// core/ir/attrs.h. Fails with rule pass.config when the text is no JSON object or nests deeper than
/// kMaxLiteralNesting.
Result<ir::Attrs> attrsFromJson(std::string_view text);

}  // namespace rx::pass
