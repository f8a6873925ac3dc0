// What stands between the brackets of a call in a pattern's text.
#pragma once

#include <string_view>

#include "core/analysis/pattern.h"
#include "core/support/result.h"

namespace rx::analysis {

/// What an expression of the text is: a pattern, or a sequence of them.
struct PatternValue {
  std::vector<PatternId> sequence;
  std::vector<PatternLink> links;
};

/// One argument: a pattern, a list of patterns, or a literal.
struct PatternArgument {
  std::string_view keyword;  ///< empty where it has none
  Span span;
  std::vector<PatternValue> values;  ///< of a pattern one, of a list all; none of a literal
  bool isList = false;
  NodeRef literal;  ///< null where it is patterns
};

/// Arguments by the parameters of what is called; null where one was left out.
using PatternArguments = std::vector<const PatternArgument*>;

/// A function or method that a pattern is written with.
struct PatternForm {
  std::string_view name;
  std::string_view params;  ///< "pattern, index?": `?` marks what may be left out
};

/// Assigns positional and keyword arguments to the parameters of the form.
Result<PatternArguments> assignArguments(const PatternForm& form, const std::vector<PatternArgument>& given,
                                         Span place);

}  // namespace rx::analysis
