// Channels in groups, as convolutions have them: an axis of which one operand takes the group alone.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// A stage that reduces, with an axis of places in two where something reads by the number of a group of its steps:
/// the group, and the step in it. As it is where there is no such axis, groups have fewer steps than `least`, or do not
/// divide it.
Stage withGroupsApart(const Stage& stage, int64_t least);

}  // namespace rx::schedule
