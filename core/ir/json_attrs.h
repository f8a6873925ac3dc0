// JSON as attribute values: configuration of passes and targets as the command line gives them.
#pragma once

#include <span>
#include <string_view>

#include "core/ir/attrs.h"
#include "core/support/result.h"

namespace rx::ir {

constexpr int kMaxJsonNesting = 100;

/// Reads a JSON object: null, booleans, numbers, texts, arrays and objects become the attribute values of
/// core/ir/attrs.h. Fails with `rule` when the text is no JSON object or nests deeper than kMaxJsonNesting.
Result<Attrs> attrsFromJson(std::string_view text, std::string_view rule = "pass.config");

/// Where a text stops being a JSON object.
Span jsonFault(std::string_view text);
/// Where the last key of a path stands in a JSON object, with its quotes; unknown where no object on the path has it.
Span keyPlace(std::string_view json, std::span<const std::string_view> path);

}  // namespace rx::ir
