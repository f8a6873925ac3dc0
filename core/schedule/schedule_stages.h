// What schedule_stages is told, as values of a trace.
#pragma once

#include "core/schedule/host_schedule.h"

namespace rx::schedule {

/// The most threads that share the sums of a single place.
constexpr int64_t kMostSumThreads = 1024;

/// The names of the rules, and the other way round by hostRulesOf.
NodeRef namesOf(const HostRules& rules);
NodeRef asAttribute(const VectorShape& vectors);

}  // namespace rx::schedule
