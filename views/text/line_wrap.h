// Where a long line is broken so that it fits a width.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "views/text/line_metrics.h"

namespace rx {

/// A line as parts that stand one below the other.
struct LineParts {
  std::vector<uint32_t> starts = {0};  ///< the byte that each part begins with
  qreal indent = 0;                    ///< distance of the parts after the first from the left edge

  uint32_t count() const { return static_cast<uint32_t>(starts.size()); }
  /// The part that a byte stands in; a byte between two parts begins the second.
  uint32_t partOf(uint32_t byte) const {
    return static_cast<uint32_t>(std::upper_bound(starts.begin() + 1, starts.end(), byte) - starts.begin()) - 1;
  }
  /// Where a part ends in a line of `size` bytes.
  uint32_t endOf(uint32_t part, uint32_t size) const { return part + 1 < count() ? starts[part + 1] : size; }
  qreal indentOf(uint32_t part) const { return part ? indent : 0; }
};

/// Breaks behind blanks, else behind a parenthesis, a comma or a full stop, else anywhere between two characters; never
/// inside of a type that is written short. The parts after the first are indented deeper than the line, as far as half
/// of the width. A blank at a break may hang over the width.
LineParts wrapLine(std::string_view line, const LineMetrics& metrics, qreal width, qreal charWidth);

}  // namespace rx
