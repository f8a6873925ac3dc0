// What can be written at a place of an expression: names of the function, members, functions of the language.
#pragma once

#include <vector>

#include "views/models/debug_rows.h"
#include "views/models/stage_index.h"

namespace rx::views {

struct CompletionRow {
  QString text;    // what is put in
  QString detail;  // "(4, n, n) f16, line 28", "how many elements are NaN"
  bool call = false;  // a function: it is put in with a parenthesis
};

/// Rows that go on from what stands in front of the cursor; they replace characters [begin, end).
struct Completions {
  int begin = 0;
  int end = 0;
  std::vector<CompletionRow> rows;
};

/// `function` may be null, `registers` empty: then only the words of the language are known.
Completions completionsAt(const QString& text, int cursor, const FunctionRow* function,
                          const std::vector<RegisterRow>& registers);

/// What is wrong with the form of an expression, or of a log message with `{expressions}`; empty when nothing is.
QString expressionFault(const QString& text);
QString logMessageFault(const QString& text);

}  // namespace rx::views
