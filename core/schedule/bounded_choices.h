// Values that are chosen by where a place lies, as padding and concatenation choose them: loops of their own for each
// part of the places, which ask nothing any more.
#pragma once

#include <span>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// Loops over all places of a stage that reduces nothing, apart by where its value chooses between others: each
/// condition is a conjunction of bounds of axes, by numbers or by sizes that a run alone knows. A value below these
/// that is chosen in another way is left as it is. Null where the value is no such choice, or there were too many
/// parts. `perVector`: lanes of the vectors that rows go in whose length a run alone knows. The outermost loops are of
/// this kind.
tir::Stmt choicesApart(const Stage& stage, int64_t perVector, tir::ForKind outermost);

}  // namespace rx::schedule
