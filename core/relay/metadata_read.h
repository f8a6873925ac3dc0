// The metadata of a Relay text: JSON of objects, as TVM up to 0.19 saved them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/relay.h"
#include "core/support/result.h"

namespace rx::relay {

/// Values by the key of their kind ("relay.Constant") and index; null where a value is missing, of a kind that texts do
/// not refer to, or a dimension of any size.
using Metadata = std::map<std::string, std::vector<NodeRef>, std::less<>>;

/// An index at or beyond this is one of no text.
constexpr uint64_t kMostMetadata = uint64_t{1} << 20;

/// Key under which a record that is no attribute of an operator (a virtual device, a target) keeps what it is.
constexpr const char* kRecordKey = "type_key";

/// Reads the JSON; every index of it is checked. The place of an error, where it is known, counts its bytes.
Result<Metadata> readMetadata(std::string_view json);

}  // namespace rx::relay
