// Reads the signature text of a row into parameters with their defaults.
#pragma once

#include <string_view>
#include <vector>

#include "core/op/op_table.h"

namespace rx::op {

/// A wrong signature is a bug of the table and asserts.
std::vector<OpParam> parseSignature(std::string_view text);

}  // namespace rx::op
