#include "views/text/folding.h"

#include <algorithm>
#include <iterator>

namespace rx {
namespace {

constexpr uint32_t kBlank = 0xffffffff;

uint32_t indentOf(std::string_view line) {
  uint32_t column = 0;
  for (char c : line) {
    if (c == ' ') {
      ++column;
    } else if (c == '\t') {
      column += 4;
    } else {
      return column;
    }
  }
  return kBlank;
}

}  // namespace

std::vector<FoldRegion> foldRegions(const TextBuffer& buffer) {
  struct Open {
    uint32_t line, indent;
  };
  std::vector<Open> open;
  std::vector<FoldRegion> regions;
  uint32_t lastText = 0;
  auto closeFrom = [&](uint32_t indent) {
    while (!open.empty() && open.back().indent >= indent) {
      if (lastText > open.back().line) regions.push_back({open.back().line, lastText});
      open.pop_back();
    }
  };
  for (uint32_t i = 0; i < buffer.lineCount(); ++i) {
    const uint32_t indent = buffer.beginsInString(i) ? kBlank : indentOf(buffer.line(i));
    if (indent == kBlank) continue;
    closeFrom(indent);
    open.push_back({i, indent});
    lastText = i;
  }
  closeFrom(0);
  std::sort(regions.begin(), regions.end(), [](auto& a, auto& b) { return a.header < b.header; });
  return regions;
}

std::vector<FoldRegion> withBlocks(std::vector<FoldRegion> regions, std::vector<FoldRegion> blocks) {
  const auto byHeader = [](const FoldRegion& a, const FoldRegion& b) { return a.header < b.header; };
  std::sort(blocks.begin(), blocks.end(), byHeader);
  std::vector<FoldRegion> both;
  // Of two that are equal the merge puts that of the blocks first.
  std::merge(blocks.begin(), blocks.end(), regions.begin(), regions.end(), std::back_inserter(both), byHeader);
  const auto oneHeader = [](const FoldRegion& a, const FoldRegion& b) { return a.header == b.header; };
  both.erase(std::unique(both.begin(), both.end(), oneHeader), both.end());
  return both;
}

void RowMap::setFolded(uint32_t lines, const std::vector<FoldRegion>& regions, const std::set<uint32_t>& folded,
                       RowInset inset) {
  setIdentity(lines);
  if (folded.empty() && inset.rows == 0) return;
  rows_.reserve(lines);
  auto region = regions.begin();
  for (uint32_t line = 0; line < lines;) {
    rows_.push_back({RowKind::Line, line, 1});
    // As fillers, its rows carry the line that follows them.
    if (line == inset.line) rows_.insert(rows_.end(), inset.rows, {RowKind::Inset, line + 1, 1});
    while (region != regions.end() && region->header < line) ++region;
    const bool isFolded = region != regions.end() && region->header == line && folded.contains(line);
    line = isFolded ? region->last + 1 : line + 1;
  }
}

uint32_t RowMap::rowOf(uint32_t line) const {
  if (rows_.empty()) return lines_ ? std::min(line, lines_ - 1) : 0;
  // Fillers carry the line that follows them, so lines never decrease along the rows.
  auto it = std::upper_bound(rows_.begin(), rows_.end(), line, [](uint32_t l, const Row& r) { return l < r.line; });
  while (it != rows_.begin()) {
    --it;
    if (it->kind != RowKind::Filler && it->kind != RowKind::Inset) break;
  }
  return static_cast<uint32_t>(it - rows_.begin());
}

}  // namespace rx
