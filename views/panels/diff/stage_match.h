// What of one stage is what of another: bindings that were only moved or renamed, lines that differ in names alone.
#pragma once

#include "core/support/cancel.h"
#include "views/models/stage_index.h"
#include "views/text/text_diff.h"

namespace rx::views {

/// A binding that both stages have.
struct BindingPair {
  int left = -1, right = -1;  // ordinals
  bool renamed = false;
  bool moved = false;  // it stands before or behind others than it did
  bool changed = false;  // it computes something else, or from something else
};

struct FunctionMatch {
  QString name;
  int added = 0, removed = 0, changed = 0, renamed = 0, moved = 0;  // bindings
  bool isNew = false, isGone = false;
  std::vector<BindingPair> pairs;  // in the order of the right side
  bool same() const { return !isNew && !isGone && added + removed + changed + renamed + moved == 0; }
};

struct StageMatch {
  std::vector<FunctionMatch> functions;  // of the right stage in its order, then those that are gone
};

/// Pairs by origin where the stages tell it, by name, and by what is computed from what.
StageMatch matchStages(const StageIndex& left, const StageIndex& right);

/// The same of one function, which both stages have.
FunctionMatch matchFunctions(const StageIndex& left, const FunctionRow& leftRow, const StageIndex& right,
                             const FunctionRow& rightRow);

/// How lines are compared where names do not count: by their text without the names of variables, and then by whether
/// the names stand for each other throughout their function.
LineLikeness nameBlind(const StageIndex& left, const StageIndex& right);

/// "2 added, 1 removed, 3 changed", "new", "gone"; empty where nothing differs.
QString matchText(const FunctionMatch& match);

}  // namespace rx::views
