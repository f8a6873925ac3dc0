// Shortest edit script of two sequences of numbers: Myers' algorithm in linear space, with a bound on its effort.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/support/cancel.h"

namespace rx {

/// One char an element: 1 where it has no partner in the other sequence. What is 0 pairs up in order.
struct SequenceDiff {
  std::vector<char> left;
  std::vector<char> right;
};

/// The shortest script where that needs at most about `effort` edits between two anchors; beyond that a good one, so
/// that two unrelated texts cost O(N * effort) and not O(N * N). Nothing when cancelled.
std::optional<SequenceDiff> diffSequences(std::span<const uint32_t> left, std::span<const uint32_t> right,
                                          const CancelToken& cancel, uint32_t effort = 512);

}  // namespace rx
