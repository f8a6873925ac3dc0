// The stages of a compiled program as the debugger shows them.
#pragma once

#include <memory>
#include <vector>

#include "core/debug/stage.h"
#include "core/pass/runner.h"

namespace rx::cli {

/// The imported module, which knows its structural hash, and every stage that the passes' history kept.
std::vector<std::shared_ptr<const debug::Stage>> stagesOf(const pass::History& history);

}  // namespace rx::cli
