// Which bytes of a stage's text can be clicked, and what each means.
#pragma once

#include <vector>

#include "views/models/stage_index.h"
#include "views/text/decorations.h"
#include "views/text/folding.h"

namespace rx::views {

/// What an id of a link names: a function, or one of its parameters or bindings.
struct LinkTarget {
  enum class Kind : uint8_t { None, Function, Param, Binding };
  Kind kind = Kind::None;
  int function = -1;  // index in StageIndex::functions
  int index = -1;     // position of the parameter, ordinal of the binding
  bool operator==(const LinkTarget&) const = default;
};

uint64_t linkId(const LinkTarget& target);
LinkTarget linkTarget(uint64_t id);

/// Definitions, uses, callees and operators (these with colour, without id) of all functions, in text order.
std::vector<Link> stageLinks(const StageIndex& stage);

/// Lines of dataflow blocks, and of the scopes of functions that have several.
std::vector<LineBand> stageBands(const StageIndex& stage);

/// Lines of what the outlines of the functions name, "layer2.0, residual block with projection", and of equal
/// neighbours together: "3 × residual block, layer1.0 … layer1.2", and those behind the first of them again; and, idle,
/// the fields of tuples that nobody reads, and the comments and imports that a text begins with.
std::vector<FoldRegion> stageBlocks(const StageIndex& stage);

}  // namespace rx::views
