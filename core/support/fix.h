// The sentences of fixes that say exactly what to write, and what they mean as an edit of the text. Who writes such a
// sentence and who applies it agree here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/support/diagnostic.h"

namespace rx {

/// "did you mean 'softmax'?": a name in the place of a misspelled one.
std::string didYouMean(std::string_view name);
/// "write R.add": what to write in the place of the diagnostic's span.
std::string writeInstead(std::string_view text);

/// Bytes of a source to be written differently. An empty span is a place to insert at.
struct Edit {
  Span span;
  std::string text;
};

/// What the fix of a diagnostic says to write, where it is exact: the fix is one of the sentences above, and the span
/// in `source` is what it stands for, or holds the misspelled name once, quoted in the message. Nothing where the fix
/// is advice that somebody has to think about.
std::optional<Edit> editOf(const Diagnostic& diagnostic, const SourceFile& source);

/// A text with edits made; of edits that overlap the first in the text is made. Spans beyond the text are left out.
std::string applyEdits(std::string_view text, std::vector<Edit> edits);

}  // namespace rx
