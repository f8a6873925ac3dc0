#include "views/canvas/band_index.h"

#include <algorithm>

namespace rx {

BandIndex::BandIndex(double height, size_t expected) {
  const size_t bands = std::clamp<size_t>(expected / 16, 1, 4096);
  bandHeight_ = std::max(1.0, height / static_cast<double>(bands));
  bands_.resize(bands + 1);
}

size_t BandIndex::bandOf(double y) const {
  if (!(y > 0)) return 0;
  return static_cast<size_t>(std::min(y / bandHeight_, static_cast<double>(bands_.size() - 1)));
}

void BandIndex::add(uint32_t item, double top, double bottom) {
  if (bands_.empty()) return;
  const size_t first = bandOf(top), last = bandOf(bottom);
  for (size_t band = first; band <= last; ++band)
    (band == first ? bands_[band].begins : bands_[band].goesOn).push_back(item);
}

std::vector<uint32_t> BandIndex::between(double top, double bottom) const {
  std::vector<uint32_t> items;
  if (bands_.empty()) return items;
  const size_t first = bandOf(top), last = bandOf(bottom);
  if (first <= last) items = bands_[first].goesOn;
  for (size_t band = first; band <= last; ++band)
    items.insert(items.end(), bands_[band].begins.begin(), bands_[band].begins.end());
  if (!std::is_sorted(items.begin(), items.end())) std::sort(items.begin(), items.end());
  return items;
}

}  // namespace rx
