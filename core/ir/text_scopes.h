// Where the bindings of a function are computed, in a language whose text may write them elsewhere: scopes are the
// function itself and the blocks inside its bindings (branches, clauses, bodies of functions).
#pragma once

#include <vector>

namespace rx::ir {

struct TextScope {
  int owner = -1;  ///< ordinal of the binding whose value it stands in; -1: the function itself
  int block = 0;   ///< of the blocks in that value the one that it is
};

/// Scopes of a function, an outer one before those inside it, and the scope of each of its bindings by their ordinals
/// (ir::TextFunction).
struct TextScopes {
  std::vector<TextScope> scopes;
  std::vector<int> of;
};

}  // namespace rx::ir
