// What marks the parts of a body that run on a device.
#pragma once

#include "core/ir/node.h"

namespace rx::lower {

/// Whether everything below the node runs on the device: a loop bound to a thread, or an attribute that launches
/// threads.
bool isDeviceScope(const Node& node);

}  // namespace rx::lower
