// The named pipelines: rows of the pass table that stand for the passes of their text.
#pragma once

#include <span>

#include "core/pass/pass.h"

namespace rx::compile {

std::span<const pass::PassRow> pipelineRows();

}  // namespace rx::compile
