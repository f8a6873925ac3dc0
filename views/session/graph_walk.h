// The rows of a function whose language binds names to the nodes of a graph: parameters, blocks and bindings, with
// their places in the stage's text.
#pragma once

#include <unordered_map>

#include "core/ir/language.h"
#include "core/ir/text_scopes.h"
#include "views/session/buffer_flow.h"
#include "views/session/row_texts.h"

namespace rx::views {

/// A function as its text binds it, the same one with the types of what it computes, and where it computes that.
struct GraphFunction {
  const ir::Language& language;
  const ir::TextFunction& text;
  const ir::TextFunction& typed;
  const ir::TextScopes& scopes;
};

/// Where the nodes of a text stand in it.
using NodeRanges = std::unordered_map<const Node*, TextRange>;

/// Fills a function's row; `index` has its text and lines. Gives the places of the names that it met.
BufferFlow::Names walkGraph(const GraphFunction& function, const NodeRanges& ranges, const StageIndex& index,
                            RowTexts* texts, FunctionRow* row);

}  // namespace rx::views
