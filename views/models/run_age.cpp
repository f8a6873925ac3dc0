#include "views/models/run_age.h"

#include "views/models/debug_session.h"

namespace rx::views {
namespace {

const RunAge* ageOf(const DebugSession& debug) { return debug.findChild<RunAge*>({}, Qt::FindDirectChildrenOnly); }

}  // namespace

QString pastOf(const DebugSession& debug) {
  const RunAge* age = ageOf(debug);
  return age ? age->pastOf() : QString();
}

bool knowsStage(const DebugSession& debug, int stage) {
  const RunAge* age = ageOf(debug);
  return !age || age->knowsStage(stage);
}

}  // namespace rx::views
