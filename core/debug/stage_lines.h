// Lines of a source as places: what a breakpoint at a line stands at.
#pragma once

#include "core/debug/stage.h"

namespace rx::debug {

/// The innermost binding whose text covers the line; of one with bindings inside (an `if`, a local function), its first
/// line alone. Between the bindings of a sequence, and before its first one, the next one of that sequence; behind the
/// last one of a function, its return. Never what stands in another branch or function: no row tells where a branch
/// ends, so the text of the source, where there is one, does by its indentation.
LinePlace placeAt(const StageFunction& function, int index, uint32_t file, uint32_t line, std::string_view source);

/// The last line of a function that a module was read with: that of its return.
uint32_t lastLineOf(const StageFunction& function, const std::vector<StageFunction>& all, const SourceList& sources);

}  // namespace rx::debug
