// How a module is spelled: which era its words belong to, and what else its reader has to know before it begins. Told
// from the tokens of that module or function alone: comments and the rest of the file have no say.
#pragma once

#include <string_view>

#include "core/script/lexer.h"
#include "core/script/outline.h"

namespace rx::script {

struct Spelling {
  Era era = Era::V025;
  bool certain = false;  ///< some word belongs to one era
  bool saysSTir = false;  ///< names s_tir, as texts of v0.25 and later do
  /// Not younger than the tracking of effects (2023) as far as the text says: it is surely of that year or older, and
  /// no word of it is there.
  bool beforePurity = false;
};

/// `imports` are those that stand around the unit.
Spelling spellingOf(std::string_view text, const OutlineUnit& unit, const Imports& imports, Names& names);

}  // namespace rx::script
