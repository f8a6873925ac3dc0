// A diagnostic as one sentence, for what has no room for its parts.
#pragma once

#include <QString>

#include "core/support/diagnostic.h"

namespace rx::views {

/// "no option 'levl'; of this pass (did you mean 'level'?)": the message, its notes behind it, and in brackets the fix.
QString sentenceOf(const Diagnostic& diagnostic);

}  // namespace rx::views
