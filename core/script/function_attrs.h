// Attributes of functions whose names or values differ between eras.
#pragma once

#include <utility>

#include "core/ir/attrs.h"

namespace rx::script {

/// An attribute of a text from before v0.24 as it is since: what was `tir.X` is `tirx.X`, and flags that were the
/// number 1 are True. Others stay as they are.
std::pair<Str, NodeRef> attributeSinceV024(Str key, NodeRef value);
/// The name that an attribute had before v0.24.
Str nameBeforeV024(Str key);

}  // namespace rx::script
