// The best counterpart of a thing among places that share parts with it: how bindings of two stages, or instructions
// and bindings, are matched by the source bindings that they come from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace rx {

/// What decides between places; the earlier fields come first.
struct ShareScore {
  size_t parts = 0;  ///< that the place has itself
  bool sameFunction = false;
  bool sameName = false;
  bool works = false;  ///< computes something, where the others only allocate or name
};

/// `shared` holds a place once for each part that it shares with the thing looked for, which has `parts` itself. The
/// place that shares most parts relative to all that either has, then the one that `scoreOf(place)` prefers, then the
/// last; a default-made place where there is none.
template <class Place, class ScoreOf>
Place bestShare(std::vector<Place> shared, size_t parts, ScoreOf scoreOf) {
  std::sort(shared.begin(), shared.end());
  Place best{};
  std::tuple<double, bool, bool, bool> most{-1, false, false, false};
  for (size_t i = 0; i < shared.size();) {
    size_t end = i;
    while (end < shared.size() && shared[end] == shared[i]) ++end;
    const ShareScore score = scoreOf(shared[i]);
    const auto common = static_cast<double>(end - i);
    const double all = static_cast<double>(parts + score.parts) - common;
    const std::tuple here{common / all, score.sameFunction, score.sameName, score.works};
    if (here >= most) std::tie(best, most) = std::tuple(shared[i], here);
    i = end;
  }
  return best;
}

}  // namespace rx
