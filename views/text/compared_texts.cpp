#include "views/text/compared_texts.h"

#include <algorithm>

namespace rx {
namespace {

constexpr uint32_t kCollapseFrom = 10;  // shorter equal stretches stay whole

/// The same stretches of the comparison stay collapsed in the unified text.
std::vector<Row> unifiedRows(const UnifiedDiff& merged, const ComparedRows& made) {
  std::vector<Row> rows;
  size_t collapsed = 0;
  for (uint32_t line = 0; line < merged.lines.size(); ++line) {
    const uint32_t view = made.viewRows[merged.lines[line].row];
    while (collapsed < made.collapsedRows.size() && made.collapsedRows[collapsed] < view) ++collapsed;
    const bool hidden = collapsed < made.collapsedRows.size() && made.collapsedRows[collapsed] == view;
    const bool joins = hidden && !rows.empty() && rows.back().kind == RowKind::Collapsed &&
                       made.viewRows[merged.lines[rows.back().line].row] == view;
    if (joins) {
      ++rows.back().count;
    } else {
      rows.push_back({hidden ? RowKind::Collapsed : RowKind::Line, line, 1});
    }
  }
  return rows;
}

}  // namespace

ComparedRows comparedRows(const ComparedTexts& texts, bool collapsed, const std::set<uint32_t>& expanded) {
  const std::vector<DiffRow>& rows = texts.diff.rows;
  ComparedRows made;
  made.collapsed = collapsed;
  made.viewRows.assign(rows.size(), 0);
  uint32_t nextLeft = 0, nextRight = 0;
  for (uint32_t i = 0; i < rows.size();) {
    uint32_t end = i;
    while (end < rows.size() && !rows[end].changed) ++end;
    const uint32_t from = i == 0 ? i : i + kContext, to = end == rows.size() ? end : end - std::min(end, kContext);
    const bool collapse = collapsed && end - i >= kCollapseFrom && to > from + 1 && !expanded.contains(i);
    const uint32_t stop = std::max(end, i + 1), first = i;
    for (; i < stop; ++i) {
      if (collapse && i >= from && i < to) {
        made.viewRows[i] = static_cast<uint32_t>(made.left.size() - (i > from ? 1 : 0));
        if (i > from) continue;
        made.collapsedRows.push_back(static_cast<uint32_t>(made.left.size()));
        made.collapsedFrom.push_back(first);
        made.left.push_back({RowKind::Collapsed, static_cast<uint32_t>(rows[i].left), to - from});
        made.right.push_back({RowKind::Collapsed, static_cast<uint32_t>(rows[i].right), to - from});
        continue;
      }
      made.viewRows[i] = static_cast<uint32_t>(made.left.size());
      if (rows[i].left >= 0) nextLeft = static_cast<uint32_t>(rows[i].left);
      if (rows[i].right >= 0) nextRight = static_cast<uint32_t>(rows[i].right);
      made.left.push_back({rows[i].left >= 0 ? RowKind::Line : RowKind::Filler, nextLeft, 1});
      made.right.push_back({rows[i].right >= 0 ? RowKind::Line : RowKind::Filler, nextRight, 1});
      if (rows[i].left >= 0) ++nextLeft;
      if (rows[i].right >= 0) ++nextRight;
    }
  }
  made.unified = unifiedRows(texts.merged, made);
  return made;
}

std::shared_ptr<ComparedTexts> comparedTexts(TextDiff diff, TextBufferPtr left, TextBufferPtr right) {
  auto made = std::make_shared<ComparedTexts>();
  made->diff = std::move(diff);
  made->left = std::move(left);
  made->right = std::move(right);
  for (const DiffRow& row : made->diff.rows) {
    if (!row.changed) continue;
    const bool both = row.left >= 0 && row.right >= 0;
    if (row.left >= 0)
      made->leftTones.push_back({static_cast<uint32_t>(row.left), both ? DiffTone::Changed : DiffTone::Removed});
    if (row.right >= 0)
      made->rightTones.push_back({static_cast<uint32_t>(row.right), both ? DiffTone::Changed : DiffTone::Added});
  }
  made->merged = unified(made->diff, *made->left, *made->right);
  made->mergedBuffer = TextBuffer::from(std::exchange(made->merged.text, {}));
  made->numbers.reserve(made->merged.lines.size());
  for (const UnifiedDiff::Line& line : made->merged.lines)
    made->numbers.push_back({static_cast<uint32_t>(line.left + 1), static_cast<uint32_t>(line.right + 1)});
  return made;
}

}  // namespace rx
