// The passes of this layer.
#pragma once

#include "core/pass/pass.h"

namespace rx::schedule {

std::span<const pass::PassRow> passRows();

}  // namespace rx::schedule
