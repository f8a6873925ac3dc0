// What the card of a failed run says: the sentence, the fix, and a table of what is wanted and given.
#pragma once

#include "views/models/run_outcome.h"

class QWidget;

namespace rx::views {

/// The content of the card; `parent` owns it.
QWidget* makeFailureContent(const RunFailure& failure, QWidget* parent);

}  // namespace rx::views
