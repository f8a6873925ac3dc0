// What a function does over and over, counted once: how often each operator stands in it, and which calls are of the
// same operation on tensors of the same types. A function of a hundred thousand calls has few of them, so that what is
// said of all is said without a walk over the calls.
#pragma once

#include <memory>

#include "views/models/stage_index.h"
#include "views/panels/inspector/inspection.h"

namespace rx::views {

/// Calls that compute and move the same.
struct CallGroup {
  std::vector<int> examples;  ///< ordinals of the first ones: which of them has run depends on the way that a run took
  qint64 count = 0;
};

struct FunctionCalls {
  std::vector<CallGroup> groups;
  std::vector<InspectionBar> operators;  ///< most frequent first
  /// Who calls the function, the first ones of the stage: index in StageIndex::functions, and ordinal.
  std::vector<std::pair<int, int>> callers;
};

/// Walks over all bindings of the stage. `mostCallers` ends the list of callers.
FunctionCalls callsOf(const StageIndex& stage, const FunctionRow& function, size_t mostCallers);

}  // namespace rx::views
