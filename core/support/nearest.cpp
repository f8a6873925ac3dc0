#include "core/support/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/support/fix.h"

namespace rx {

namespace {
constexpr size_t kLongest = 64;  ///< longer names are not compared

/// Insertions, removals, changes and swaps of neighbours between two short names.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}
}  // namespace

Nearest::Nearest(std::string_view name) : name_(name), distance_(std::min<size_t>(name.size() / 3, 3) + 1) {}

void Nearest::offer(std::string_view candidate) {
  if (name_.size() > kLongest || candidate.size() > kLongest || candidate.empty()) return;
  const size_t gap =
      name_.size() > candidate.size() ? name_.size() - candidate.size() : candidate.size() - name_.size();
  if (gap >= distance_) return;
  const size_t distance = editDistance(name_, candidate);
  if (distance >= distance_) return;
  distance_ = distance;
  best_ = candidate;
}

std::string Nearest::fix(std::string_view prefix) const {
  if (best_.empty()) return {};
  return didYouMean(std::string(prefix) + best_);
}

}  // namespace rx
