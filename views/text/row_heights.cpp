#include "views/text/row_heights.h"

#include <algorithm>
#include <bit>

namespace rx {
namespace {

uint32_t lowestBit(uint32_t value) { return value & (~value + 1); }

}  // namespace

void RowHeights::clear() {
  heights_.clear();
  measured_.clear();
  tree_.clear();
}

void RowHeights::guess(std::vector<uint32_t> heights) {
  heights_ = std::move(heights);
  measured_.assign(heights_.size(), false);
  tree_.assign(heights_.size() + 1, 0);
  for (uint32_t i = 1; i < tree_.size(); ++i) {
    tree_[i] += heights_[i - 1];
    if (const uint32_t parent = i + lowestBit(i); parent < tree_.size()) tree_[parent] += tree_[i];
  }
}

bool RowHeights::measure(uint32_t row, uint32_t height) {
  measured_[row] = true;
  const uint32_t change = height - heights_[row];  // modulo 2^32, as the sums are
  if (change == 0) return false;
  heights_[row] = height;
  for (uint32_t i = row + 1; i < tree_.size(); i += lowestBit(i)) tree_[i] += change;
  return true;
}

uint32_t RowHeights::top(uint32_t row) const {
  uint32_t sum = 0;
  for (uint32_t i = std::min(row, count()); i > 0; i -= lowestBit(i)) sum += tree_[i];
  return sum;
}

RowPart RowHeights::at(uint32_t visual) const {
  if (empty()) return {};
  uint32_t row = 0, rest = visual;
  for (uint32_t step = std::bit_floor(count()); step > 0; step /= 2) {
    if (row + step >= tree_.size() || tree_[row + step] > rest) continue;
    row += step;
    rest -= tree_[row];
  }
  if (row < count()) return {row, rest};
  return {count() - 1, heights_.back() - 1};
}

}  // namespace rx
