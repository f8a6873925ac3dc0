// What of one stage is what of another: bindings that were only moved or renamed, lines that differ in names alone.
#pragma once

#include "core/script/match_bindings.h"
#include "views/models/stage_index.h"
#include "views/text/text_diff.h"

namespace rx::views {

using script::BindingPair;

/// A function of two stages: what of its bindings is what.
struct FunctionMatch : script::BindingMatch {
  QString name;
  bool isNew = false, isGone = false;
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
