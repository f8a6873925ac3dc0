// The origin of an instruction.
#pragma once

#include "core/ir/origin.h"
#include "core/runtime/debug_info.h"

namespace rx::vm {

/// The bindings of the imported module that an instruction computes; null when not known. The runtime, which knows no
/// IR, keeps it as an object.
inline const Origin* originOf(const DebugSite& site) { return static_cast<const Origin*>(site.origin.get()); }

}  // namespace rx::vm
