// Accesses that need no check when they run.
#pragma once

#include <unordered_set>
#include <vector>

#include "core/ir/relax.h"

namespace rx::lower {

struct AccessProof {
  /// Data pointers of parameters and allocations all accesses through which are known to stay inside, in every
  /// dimension, whatever the arguments hold. Sorted by address.
  std::vector<tir::VarRef> proven;
  bool all = true;  ///< nothing is accessed through any other pointer
  /// All of them are, and an index into all elements of a buffer at once may be written in the shortest form: no number
  /// that decides what is accessed leaves its type.
  bool flat = false;
  bool exact = false;  ///< no number leaves its type
  /// Divisions of integers whose divisor may be zero.
  std::unordered_set<const Node*> doubtfulDivisions;
};

/// Only what is computed without leaving its type counts as known: index arithmetic may wrap, and what memory holds may
/// change between a condition and an access. `function` holds no blocks and its buffers are not flat yet (the proof is
/// by dimension).
AccessProof provenAccesses(const tir::PrimFunc& function);

}  // namespace rx::lower
