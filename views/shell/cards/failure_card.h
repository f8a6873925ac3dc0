// What the card of a failed run says: the sentence, the fix, and a table of what is wanted and given.
#pragma once

#include "views/models/run_outcome.h"

class QWidget;

namespace rx::views {

class Card;

/// The content of the card, which owns it.
QWidget* makeFailureContent(const RunFailure& failure, Card* card);

}  // namespace rx::views
