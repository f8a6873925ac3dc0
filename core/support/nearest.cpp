#include "core/support/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

#include "core/support/fix.h"
#include "core/support/near_names.h"

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

/// How far a candidate is from a name that may be a misspelling of it; more than `most` where it is farther than that.
size_t misspelling(std::string_view name, std::string_view candidate, size_t most) {
  if (name.size() > kLongest || candidate.size() > kLongest || candidate.empty()) return most + 1;
  size_t distance = distanceWithin(name, candidate, most);
  const std::string_view part = lastPart(name), other = lastPart(candidate);
  if (part.size() < name.size() || other.size() < candidate.size()) {
    // Another prefix, or none, counts as one letter.
    const size_t inPart = mostEdits(part), edits = distanceWithin(part, other, inPart);
    if (edits <= inPart) distance = std::min(distance, edits + 1);
  }
  return distance;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

/// Whether all words of the last part of `name` are somewhere in `text`; words of a letter or two say nothing.
bool wordsStandIn(std::string_view name, std::string_view text) {
  constexpr size_t kShortest = 3;
  bool any = false;
  for (std::string_view rest = lastPart(name); !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('_'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.size() < kShortest) continue;
    if (text.find(word) == std::string_view::npos) return false;
    any = true;
  }
  return any;
}
}  // namespace

Nearest::Nearest(std::string_view name) : name_(name), distance_(mostEdits(name) + 1) {}

void Nearest::offer(std::string_view candidate) {
  if (distance_ == 0) return;  // the name itself was offered
  const size_t distance = misspelling(name_, candidate, distance_ - 1);
  if (distance >= distance_) return;
  distance_ = distance;
  best_ = candidate;
}

std::string Nearest::fix(std::string_view prefix) const {
  if (best_.empty()) return {};
  return didYouMean(std::string(prefix) + best_);
}

std::vector<std::string> nearNames(std::string_view name, const std::vector<std::string>& names, size_t most) {
  const size_t edits = mostEdits(name);
  const std::string written = lower(name);
  std::vector<std::pair<size_t, size_t>> near;  // how far, and which
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t distance = misspelling(name, names[i], edits);
    const std::string other = lower(names[i]);
    if (distance <= edits) {
      near.emplace_back(distance, i);
    } else if (!name.empty() &&
               (other.starts_with(written) || wordsStandIn(written, other) || wordsStandIn(other, lastPart(written)))) {
      near.emplace_back(edits + 1, i);
    }
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), most));
  std::vector<std::string> found;
  for (const auto& [distance, which] : near) found.push_back(names[which]);
  return found;
}

}  // namespace rx
