// A step of a history as JSON, the one form of `rxs opt --json` and of folders of stages.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/pass/runner.h"

namespace rx::pass {

/// {"pass", "call", "milliseconds", "verifyMilliseconds", "changes": [{"function", "what": "changed"|"added"|"removed",
/// "net"}], "size" (bindings and statements of the result), "verified", "verdict", "lost", "remarks": [{"function",
/// "binding", "text"}], "leftOut", "failed", "messages"}; verdict, lost and messages as diagnosticsJson has them.
nlohmann::ordered_json stepJson(const StepRecord& step, const SourceList& sources);

}  // namespace rx::pass
