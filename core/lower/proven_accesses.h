// Accesses that need no check when they run.
#pragma once

#include <vector>

#include "core/ir/relax.h"

namespace rx::lower {

struct AccessProof {
  /// Data pointers of parameters and allocations all accesses through which are known to stay inside, in every
  /// dimension, whatever the arguments hold. Sorted by address.
  std::vector<tir::VarRef> proven;
  bool all = true;  ///< nothing is accessed through any other pointer
};

/// `function` holds no blocks and its buffers are not flat yet (the proof is by dimension).
AccessProof provenAccesses(const tir::PrimFunc& function);

}  // namespace rx::lower
