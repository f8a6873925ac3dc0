// How many bytes were alive over a run.
#pragma once

#include <chrono>
#include <map>
#include <unordered_set>

#include "core/debug/history.h"

namespace rx::debug {

int64_t bytesOf(const std::vector<LiveStorage>& live);

/// Bytes alive at some states of one run. A look at a state reads every register of its frames, so that what was found
/// is kept, and asking again goes on from there.
class MemoryCurve {
 public:
  /// Looks at `most` states at the most, as sampledStates says, until `budget` is spent; whether all were looked at.
  bool look(History& history, int64_t most, std::chrono::milliseconds budget);
  /// By state.
  const std::map<int64_t, int64_t>& bytes() const { return bytes_; }
  /// The memory (LiveStorage::id) that was there before the first step that is kept.
  const std::unordered_set<uint64_t>& given(History& history);

 private:
  std::map<int64_t, int64_t> bytes_;
  size_t edits_ = 0;
  std::unordered_set<uint64_t> given_;
  int64_t givenAt_ = -1;
};

}  // namespace rx::debug
