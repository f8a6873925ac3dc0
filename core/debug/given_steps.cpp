#include "core/debug/given_steps.h"

#include <algorithm>

namespace rx::debug {
namespace {

/// Calls `use` with the name of each variable that a step gave a value.
template <class Use>
void eachGiven(const History& history, const StageMap& map, int64_t step, Use use) {
  const Stage& stage = *history.program().stages[static_cast<size_t>(map.stage())];
  for (const GivenValue& given : map.given(history.next(step).instruction))
    use(stage.binding(given.place)->variable.view());
}

}  // namespace

void GivenSteps::reachUpTo(const History& history, const StageMap& map, int64_t step) {
  std::vector<int64_t> added;
  for (int64_t at = step; at > newest_; at = history.previous(at)) {
    added.push_back(at);
    if (newest_ >= 0) continue;
    // Of the first question only the last step is sure to matter.
    oldest_ = at;
    break;
  }
  std::reverse(added.begin(), added.end());
  for (const int64_t at : added)
    eachGiven(history, map, at, [&](std::string_view name) { steps_[name].push_back(at); });
  newest_ = std::max(newest_, step);
}

bool GivenSteps::reachBack(const History& history, const StageMap& map) {
  const int64_t step = oldest_ < 0 ? -1 : history.previous(oldest_);
  if (step < 0) return false;
  oldest_ = step;
  eachGiven(history, map, step, [&](std::string_view name) {
    std::vector<int64_t>& steps = steps_[name];
    steps.insert(steps.begin(), step);
  });
  return true;
}

int64_t GivenSteps::last(const History& history, const StageMap& map, int activation, int64_t state,
                         std::string_view variable) {
  if (activation != activation_ || map.stage() != stage_) *this = {};
  activation_ = activation;
  stage_ = map.stage();
  // What the frame was at is done only once it went on.
  int64_t done = history.lastRunning(activation, state);
  if (done < 0) return -1;
  if (const int64_t after = history.following(done); after < 0 || after > state) done = history.previous(done);
  if (done < 0) return -1;
  reachUpTo(history, map, done);
  const auto known = [&] {
    const auto found = steps_.find(variable);
    if (found == steps_.end()) return int64_t{-1};
    const auto behind = std::upper_bound(found->second.begin(), found->second.end(), done);
    return behind == found->second.begin() ? -1 : *std::prev(behind);
  };
  int64_t step = known();
  while (step < 0 && reachBack(history, map))
    if (oldest_ <= done) step = known();
  // A run that ran out of room for the past forgets its oldest steps.
  return step < history.oldest() ? -1 : step;
}

}  // namespace rx::debug
