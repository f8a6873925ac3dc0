// What the card at the end of a run says: what was returned, how far it is from what was expected, time and memory.
#pragma once

#include "views/models/run_outcome.h"

class QWidget;

namespace rx::views {

/// The content of the card; `parent` owns it.
QWidget* makeResultContent(const RunResult& result, QWidget* parent);
/// The two lines of it that stand in the Inspector: what came out first, and what it took.
QWidget* makeResultBrief(const RunResult& result, QWidget* parent);

}  // namespace rx::views
