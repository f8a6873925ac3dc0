#include "views/text/line_wrap.h"

namespace rx {
namespace {

constexpr qreal kDeeper = 4;  // columns that a continued line stands right of its beginning
constexpr qreal kSlack = 1e-6;

/// How good a place behind a character is to break at; 0 is none at all.
int breakValue(char c) { return c == ' ' ? 2 : c == '(' || c == ',' || c == '.' || c == '[' ? 1 : 0; }

class Wrapper {
 public:
  Wrapper(std::string_view line, const LineMetrics& metrics) : line_(line), metrics_(metrics) {}

  /// Where the part that begins at `from` ends so that it is at most so wide.
  uint32_t endOfPart(uint32_t from, qreal width) const {
    const uint32_t size = metrics_.shownBytes();
    const qreal left = metrics_.xOf(from);
    uint32_t limit = metrics_.lastWithin(left + width + kSlack);
    if (limit >= size) return size;
    while (limit < size && line_[limit] == ' ') ++limit;
    // A break far back leaves more of the line empty than it is worth.
    const uint32_t least = metrics_.lastWithin(left + width / 2);
    uint32_t best = 0;
    int bestValue = 0;
    for (uint32_t at = limit; at > std::max(least, from); --at) {
      const int value = inShort(at) ? 0 : breakValue(line_[at - 1]);
      if (value <= bestValue) continue;
      best = at;
      bestValue = value;
      if (value == 2) break;
    }
    if (bestValue > 0) return best;
    if (limit > from) return limit;
    return metrics_.after(from);
  }

 private:
  bool inShort(uint32_t at) const {
    for (const Shortening& part : metrics_.shortened())
      if (at > part.begin && at < part.end) return true;
    return false;
  }
  std::string_view line_;
  const LineMetrics& metrics_;
};

}  // namespace

LineParts wrapLine(std::string_view line, const LineMetrics& metrics, qreal width, qreal charWidth) {
  LineParts parts;
  if (metrics.width() <= width) return parts;
  const auto blanks = static_cast<uint32_t>(std::min(line.find_first_not_of(" \t"), line.size()));
  parts.indent = std::min(metrics.xOf(blanks) + kDeeper * charWidth, width / 2);
  const Wrapper wrapper(line, metrics);
  while (true) {
    const uint32_t end = wrapper.endOfPart(parts.starts.back(), width - parts.indentOf(parts.count() - 1));
    if (end >= metrics.shownBytes()) return parts;
    parts.starts.push_back(end);
  }
}

}  // namespace rx
