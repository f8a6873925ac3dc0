// Where a place is in a text that was changed since.
#pragma once

#include "views/models/place.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// The place of the same binding in a stage: the one of its name that is nearest to where it was, without a binding
/// where there is none. A place that names no binding stays.
Place movedIn(const StageIndex& index, Place place);

}  // namespace rx::views
