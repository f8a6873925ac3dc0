#include "core/debug/memory_curve.h"

#include <utility>

#include "core/debug/state_samples.h"

namespace rx::debug {

int64_t bytesOf(const std::vector<LiveStorage>& live) {
  int64_t bytes = 0;
  for (const LiveStorage& storage : live) bytes += storage.bytes;
  return bytes;
}

bool MemoryCurve::look(History& history, int64_t most, std::chrono::milliseconds budget) {
  const auto end = std::chrono::steady_clock::now() + budget;
  const std::vector<int64_t> states = sampledStates(history.oldest(), history.recorded(), most);
  // What follows an edit is another run.
  if (edits_ != history.edits().size()) bytes_.clear();
  edits_ = history.edits().size();
  const std::unordered_set<int64_t> wanted(states.begin(), states.end());
  std::erase_if(bytes_, [&](const auto& known) { return !wanted.contains(known.first); });
  for (const int64_t state : states) {
    if (bytes_.contains(state)) continue;
    if (std::chrono::steady_clock::now() >= end) return false;
    bytes_.emplace(state, bytesOf(history.liveAt(state)));
  }
  return true;
}

const std::unordered_set<uint64_t>& MemoryCurve::given(History& history) {
  if (std::exchange(givenAt_, history.oldest()) == history.oldest()) return given_;
  given_.clear();
  for (const LiveStorage& storage : history.liveAt(history.oldest())) given_.insert(storage.id);
  return given_;
}

}  // namespace rx::debug
