// The graph for assistive technology: a list whose items are the nodes in the order of the program.
#pragma once

namespace rx {

/// Once a process; later calls do nothing.
void installGraphAccessibility();

}  // namespace rx
