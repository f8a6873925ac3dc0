// How high the rows of a view are where long lines are wrapped: an index that is corrected row by row as they are laid
// out.
#pragma once

#include <cstdint>
#include <vector>

namespace rx {

/// A row and one of its visual lines.
struct RowPart {
  uint32_t row = 0;
  uint32_t part = 0;
};

/// Heights in visual lines. Rows are guessed at first and measured where they are looked at; a correction and every
/// question take time by the logarithm of the number of rows. Without rows (`empty`) it knows nothing: each is one
/// high.
class RowHeights {
 public:
  bool empty() const { return heights_.empty(); }
  void clear();
  /// What each row is guessed to be, at least one; none is measured any more.
  void guess(std::vector<uint32_t> heights);
  /// True where the guess was wrong.
  bool measure(uint32_t row, uint32_t height);
  bool measured(uint32_t row) const { return measured_[row]; }

  uint32_t count() const { return static_cast<uint32_t>(heights_.size()); }
  uint32_t height(uint32_t row) const { return heights_[row]; }
  /// Visual lines above a row; `count()` gives those of all rows.
  uint32_t top(uint32_t row) const;
  uint32_t total() const { return top(count()); }
  /// The row that a visual line belongs to; beyond the last one that is the last.
  RowPart at(uint32_t visual) const;

 private:
  std::vector<uint32_t> heights_;
  std::vector<bool> measured_;
  std::vector<uint32_t> tree_;  // sums of stretches whose length is the lowest set bit of their index, from 1
};

}  // namespace rx
