// The prelude: lists, options and trees, and the functions on them. A text that does not define them may use them.
#pragma once

#include "core/support/source.h"

namespace rx::relay {

/// Its definitions, as text.
const Ref<SourceFile>& preludeSource();

}  // namespace rx::relay
