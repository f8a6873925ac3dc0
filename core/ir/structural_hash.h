// A 64-bit hash that agrees with structural equality under every FreeVars rule: equal nodes have equal hashes.
#pragma once

#include <cstdint>

#include "core/ir/node.h"

namespace rx {

/// Depends on structure alone, never on addresses, so it is the same in every process.
uint64_t structuralHash(const NodeRef& node);

/// The mixing steps behind it, for keys that combine a hash with more.
uint64_t hashMix(uint64_t seed, uint64_t value);
uint64_t hashBytes(uint64_t seed, const void* data, size_t size);

}  // namespace rx
