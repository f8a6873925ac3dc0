// The chain of a cell's versions: linking a new one, and finding one by state. A version has a link to the one before
// it and a jump to an older one; jumps are those of a skew-binary number system, so that both searches take a number of
// hops in the logarithm of the chain's length.
#pragma once

#include <optional>
#include <utility>

#include "core/store/format.h"

namespace rx::store {

/// Sets the links of `version`, which follows `head` (0: it is the first). `row(i)` gives version i of the table.
/// False where the chain is as long as can be counted.
template <class RowAt>
bool linkVersion(Version& version, VersionKind kind, uint32_t head, const RowAt& row) {
  uint32_t depth = 1, jump = 0;
  if (head != 0) {
    const Version& last = row(head);
    const Version* const below = last.jump ? &row(last.jump) : nullptr;
    const uint32_t belowDepth = below ? depthOf(*below) : 0;
    const uint32_t bottom = below ? below->jump : 0;
    const uint32_t bottomDepth = bottom ? depthOf(row(bottom)) : 0;
    depth = depthOf(last) + 1;
    jump = depthOf(last) - belowDepth == belowDepth - bottomDepth ? bottom : head;
  }
  if (depth >= 1u << kDepthBits) return false;
  version.previous = head;
  version.jump = jump;
  version.depthAndKind = depth | static_cast<uint32_t>(kind) << kDepthBits;
  return true;
}

/// What a search found: the newest version at a state, and the one that follows it.
struct Found {
  uint32_t at = 0;     ///< newest with a state not after the one asked for; 0 for none
  uint32_t after = 0;  ///< oldest with a later state; 0 for none
};

/// `row(i, newer)` gives version i by value, linked from version `newer` (0: from the head), or nothing where that is
/// not one of the cell: then nothing is the answer.
template <class RowAt>
std::optional<Found> findVersion(uint32_t head, uint32_t state, const RowAt& row) {
  Found found;
  uint32_t at = head;
  std::optional<Version> version;
  if (at != 0 && !(version = row(at, 0))) return {};
  while (at != 0 && version->state > state) {
    found.after = at;
    const auto [previous, jump] = std::pair(version->previous, version->jump);
    std::optional<Version> older;
    if (jump != 0 && jump != previous) {
      if (!(older = row(jump, at))) return {};
      if (older->state > state) {
        at = jump;
        version = older;
        continue;
      }
    }
    if (previous != 0 && !(version = row(previous, at))) return {};
    at = previous;
  }
  found.at = at;
  return found;
}

}  // namespace rx::store
