// Waiting for a run that a command started.
#pragma once

#include <functional>

#include "views/shell/desk.h"

namespace rx::views {

/// Does `then` once the run that was started stands; never, where it comes to its end or is given up before. A script's
/// line waits for it.
void whenStopped(Desk& desk, std::function<void()> then);

}  // namespace rx::views
