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

/// Who made what lies in a binding: of a buffer the last call before the binding `next` that writes it (-1: of all), of
/// any other the binding itself.
const BindingRow& makerOf(const FunctionRow& function, const BindingRow& binding, int next = -1);

}  // namespace rx::views
