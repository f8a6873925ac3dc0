// Where a run stands in the text of a stage: what runs next, and where its callers wait.
#pragma once

#include "views/models/debug_session.h"
#include "views/models/place.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// The binding that runs next; null where no run stands still, where it is shown by another stage, or between bindings.
const BindingRow* nextBinding(const StageIndex& stage, const DebugSession& debug);
/// The binding that a caller further up the call stack waits at, where that is the selected one; null for all others.
const BindingRow* selectedCaller(const StageIndex& stage, const DebugSession& debug, const Place& selected);

}  // namespace rx::views
