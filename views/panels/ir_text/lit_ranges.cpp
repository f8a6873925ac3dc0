#include "views/panels/ir_text/lit_ranges.h"

#include <algorithm>

namespace rx::views {

std::vector<LitRange> litRanges(const StageIndex& stage, const std::vector<SearchHit>& hits) {
  std::vector<LitRange> ranges;
  for (const SearchHit& hit : hits) {
    if (hit.kind == HitKind::Function || hit.kind == HitKind::Block) continue;
    if (hit.line < 1 || hit.line > stage.lineCount()) continue;
    const auto begin = static_cast<uint32_t>(stage.lineStarts[static_cast<size_t>(hit.line) - 1]);
    const QByteArray line = stage.line(hit.line);
    const auto indented = std::find_if(line.begin(), line.end(), [](char c) { return c != ' '; }) - line.begin();
    ranges.push_back({begin + static_cast<uint32_t>(indented), begin + static_cast<uint32_t>(line.size())});
  }
  std::sort(ranges.begin(), ranges.end(), [](const LitRange& a, const LitRange& b) { return a.begin < b.begin; });
  const auto same = [](const LitRange& a, const LitRange& b) { return a.begin == b.begin; };
  ranges.erase(std::unique(ranges.begin(), ranges.end(), same), ranges.end());
  return ranges;
}

}  // namespace rx::views
