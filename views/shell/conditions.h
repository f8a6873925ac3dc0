// When commands are enabled: small questions to the controllers, shared by the rows of the command table.
#pragma once

#include "views/shell/desk.h"

namespace rx::views::when {

inline bool always(const Desk&) { return true; }
inline bool open(const Desk& desk) { return desk.document.state() == Document::State::Ready; }
inline bool openOrTraced(const Desk& desk) { return open(desk) || !desk.debug.traced().folder.isEmpty(); }
inline bool working(const Desk& desk) { return desk.document.busy() || !desk.window.toolTitle().isEmpty(); }
inline bool canGoBack(const Desk& desk) { return desk.selection.canGoBack(); }
inline bool canGoForward(const Desk& desk) { return desk.selection.canGoForward(); }
inline int stageCount(const Desk& desk) { return static_cast<int>(desk.document.steps().size()); }
inline bool hasNextPass(const Desk& desk) { return open(desk) && desk.selection.place().stage + 1 < stageCount(desk); }
inline bool hasPreviousPass(const Desk& desk) { return open(desk) && desk.selection.place().stage > 0; }
inline bool canRunPasses(const Desk& desk) { return open(desk) && desk.document.canRunPasses(); }
inline bool hasBinding(const Desk& desk) { return selectedBinding(desk) != nullptr; }
inline bool hasFunction(const Desk& desk) { return selectedFunction(desk) != nullptr; }
inline bool engineOff(const Desk& desk) {
  return desk.debug.state() == RunState::Off || desk.debug.state() == RunState::Died ||
         desk.debug.state() == RunState::Ended;
}
inline bool canStart(const Desk& desk) { return open(desk) && engineOff(desk); }
inline bool stopped(const Desk& desk) { return desk.debug.state() == RunState::Stopped; }
inline bool running(const Desk& desk) { return desk.debug.state() == RunState::Running; }
inline bool engineOn(const Desk& desk) { return desk.debug.engineId() != 0; }
inline bool canRestart(const Desk& desk) { return open(desk) && !desk.debug.config().function.isEmpty(); }
/// Back over recorded steps also works after the end, and after the engine died.
inline bool canLookBack(const Desk& desk) { return desk.debug.hasTrace() && desk.debug.stop().step > 0; }
inline bool hasTrace(const Desk& desk) { return desk.debug.hasTrace(); }
inline bool canSetValues(const Desk& desk) { return desk.debug.canSetValues(); }
/// A run that is under way stops as it was told, whatever the next one will do.
inline bool stopsOnNonFinite(const Desk& desk) {
  return engineOff(desk) ? desk.settings.value("stopOnNonFinite", false).toBool() : desk.debug.config().stopOnNonFinite;
}
inline bool shortTypes(const Desk& desk) { return desk.settings.value("shortTypes", true).toBool(); }
/// Whether a panel of text (`ir`, `source` or `diff`) wraps its lines.
inline bool wraps(const Desk& desk, const QString& panel) {
  return desk.settings.value("wrapLines/" + panel, false).toBool();
}
inline bool hasCard(const Desk& desk) { return !desk.window.cardText().isEmpty(); }
inline bool hasResult(const Desk& desk) { return desk.debug.result() != nullptr; }
inline bool isLight(const Desk& desk) { return desk.settings.theme() == "light"; }
inline bool isDark(const Desk& desk) { return desk.settings.theme() == "dark"; }
inline bool isSystem(const Desk& desk) { return desk.settings.theme() == "system"; }
inline bool hasWatches(const Desk& desk) { return !desk.debug.watches().empty(); }
inline bool equalSteps(const Desk& desk) { return desk.settings.value("equalSteps", false).toBool(); }
inline bool hasInstructions(const Desk& desk) { return !desk.debug.instructions().empty(); }
inline bool hasBreakpoints(const Desk& desk) { return !desk.debug.breakpoints().empty(); }

}  // namespace rx::views::when
