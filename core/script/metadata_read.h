// The metadata block of a printed text: a map from a type key to values, as JSON of the two formats that TVM had
// (up to v0.21 and from v0.22).
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::script {

/// Values by type key ("relax.expr.Constant") and index; null where a value is of a kind that texts never refer to.
using Metadata = std::map<std::string, std::vector<NodeRef>, std::less<>>;

/// Reads the JSON. Every index, length and shape of it is checked. The place of an error, where it is known, counts the
/// bytes of `json`.
Result<Metadata> readMetadata(std::string_view json);

}  // namespace rx::script
