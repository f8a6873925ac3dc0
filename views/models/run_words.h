// What a run is at, in the words of the window: status bar, timeline and tests say the same.
#pragma once

#include <QString>

#include "views/models/debug_session.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// Why the machine stands or what it does: "Paused: Inf produced", "Ended", "Running matmul2 for lv3", "Could not
/// start: …".
QString runStateText(const DebugSession& debug);
/// ", of another pipeline" of a run that is past (DebugSession::pastOf); empty of one that is not.
QString pastText(const DebugSession& debug);
/// Whether what is shown was recorded before: nothing runs there.
bool showsHistory(const DebugSession& debug);
/// "step 79 of 105", of a recorded step "step 79 of 105, history: nothing runs"; empty where there is no run.
QString stepText(const DebugSession& debug);
/// "next: mixed, line 29"; empty where nothing comes next. `stage` is the one that runs, null where it is not known.
QString nextText(const DebugSession& debug, const StageIndex* stage);

}  // namespace rx::views
