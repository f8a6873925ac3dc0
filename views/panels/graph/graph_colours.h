// What the colours of a graph's nodes say: the kind of operation, or a change, a time, an error, a size,
// a difference of two runs.
#pragma once

#include <span>

#include "views/canvas/graph_canvas.h"
#include "views/graph/layer_fold.h"
#include "views/models/debug_session.h"
#include "views/models/run_comparison.h"
#include "views/panels/graph/graph_changes.h"

namespace rx::views {

enum class GraphColour : uint8_t { Kind, Change, Time, Error, Memory, Difference };

/// A row of the choice: the word of scripts, and the title of menus and buttons.
struct GraphColourRow {
  GraphColour colour;
  const char* word;
  const char* title;
};
std::span<const GraphColourRow> graphColourRows();

/// How a node that differs is drawn, by the order of NodeChange.
struct ChangeLook {
  QColor Palette::*line;
  QColor Palette::*fill;
  TintSign sign;
};
std::span<const ChangeLook> changeLooks();

/// What the colours are made from.
struct ColourInput {
  const FunctionRow* function = nullptr;
  const NodeChanges* changes = nullptr;  ///< against the stage that it is compared with; null: there is none
  int stage = 0;
  const DebugSession* debug = nullptr;
  const BindingTimes* times = nullptr;  ///< of the run that is shown; null where they are not known
  ComparedBindings compared = {};       ///< what a comparison of runs found in the function
};

/// Tints of the nodes of a folded graph; a folded block has the sum or the worst of what is in it. Empty for Kind.
std::unordered_map<uint64_t, NodeTint> tintsOf(GraphColour colour, const ColourInput& input, const FunctionGraph& whole,
                                               const FoldedGraph& folded, const Palette& palette);

}  // namespace rx::views
