// The passes of Relay, the translation to Relax among them.
#pragma once

#include <span>

#include "core/pass/pass.h"

namespace rx::relay {

std::span<const pass::PassRow> passRows();

}  // namespace rx::relay
