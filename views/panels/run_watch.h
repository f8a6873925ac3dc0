// When a panel shows a run anew: once at each stop, when all of it is known.
#pragma once

#include "views/models/debug_session.h"

namespace rx::views {

/// Calls `refresh` at every stop, and where the state of the run changes without a stop that is to come: while the
/// machine runs, and until all is known of where it stands, the last stop stays on screen.
template <class Refresh>
void watchRun(DebugSession* debug, QObject* panel, Refresh refresh) {
  QObject::connect(debug, &DebugSession::stopChanged, panel, refresh);
  QObject::connect(debug, &DebugSession::stateChanged, panel, [debug, refresh] {
    if (debug->idle()) refresh();
  });
}

}  // namespace rx::views
