// Where an operator, a function or a kernel is called, over all stages: what the list of results of a search shows.
#pragma once

#include "views/models/stage_index.h"

namespace rx::views {

/// One call.
struct CallHit {
  int stage = 0;
  QString stageTitle;
  QString function;
  int binding = -1;  // ordinal in the function
  QString variable;
  int line = 0;  // 1-based in the text of the stage
  QString text;  // of that line, without its indentation
  bool operator==(const CallHit&) const = default;
};

/// The calls of `callee` in the given stages, in the order of stages and of their text. `callee` is an operator with or
/// without its namespace ("matmul", "nn.softmax", "relax.add", "R.add"), a function of the module, a kernel that a
/// call_tir calls, or a packed function by its name. Null stages are left out. Reads only; runs on any thread.
std::vector<CallHit> callsOf(const std::vector<StageIndexPtr>& stages, const QString& callee);

}  // namespace rx::views
