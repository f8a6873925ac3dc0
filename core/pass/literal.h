// Python literals as attribute values: what options of passes and attributes of calls are written in.
#pragma once

#include <string>
#include <string_view>

#include "core/ir/attrs.h"
#include "core/support/result.h"

namespace rx::pass {

/// Reads one literal (None, True, False, numbers, strings, lists, tuples, dictionaries with text keys) starting at `at`
/// and moves `at` behind it. Nesting deeper than kMaxLiteralNesting is refused. Spans are offsets into `text`.
Result<NodeRef> readLiteral(std::string_view text, size_t& at);
constexpr int kMaxLiteralNesting = 100;

/// The text of a value in the same form.
std::string literalText(const NodeRef& value);

}  // namespace rx::pass
