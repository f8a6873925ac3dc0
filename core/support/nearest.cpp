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

std::string_view lastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

size_t mostEdits(std::string_view name) { return std::min<size_t>(name.size() / 3, 3); }

/// The same, where it is at most `most`; one more than that, or greater, where it is not.
size_t distanceWithin(std::string_view a, std::string_view b, size_t most) {
  const size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  return gap > most ? gap : editDistance(a, b);
}
}  // namespace

Nearest::Nearest(std::string_view name) : name_(name), distance_(mostEdits(name) + 1) {}

void Nearest::offer(std::string_view candidate) {
  if (name_.size() > kLongest || candidate.size() > kLongest || candidate.empty()) return;
  size_t distance = distanceWithin(name_, candidate, distance_ - 1);
  const std::string_view part = lastPart(name_), other = lastPart(candidate);
  if (part.size() < name_.size() || other.size() < candidate.size()) {
    // Another prefix, or none, counts as one letter.
    const size_t most = mostEdits(part), edits = distanceWithin(part, other, most);
    if (edits <= most) distance = std::min(distance, edits + 1);
  }
  if (distance >= distance_) return;
  distance_ = distance;
  best_ = candidate;
}

std::string Nearest::fix(std::string_view prefix) const {
  if (best_.empty()) return {};
  return didYouMean(std::string(prefix) + best_);
}

}  // namespace rx
