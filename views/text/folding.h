// Fold regions from indentation, and the rows that are on screen when some are folded.
#pragma once

#include <QString>
#include <cstdint>
#include <set>
#include <vector>

#include "views/text/text_buffer.h"

namespace rx {

/// Lines `header + 1` to `last` disappear when the region is folded. Zero-based. A region with a title stands for all
/// of its lines: folded, it shows the title in place of its header. What is `idle` says nothing that is missed, and
/// folds with those.
struct FoldRegion {
  uint32_t header = 0;
  uint32_t last = 0;
  QString title = {};
  bool idle = false;
  bool operator==(const FoldRegion&) const = default;
};

/// Regions sorted by header: a line whose following lines are indented deeper.
std::vector<FoldRegion> foldRegions(const TextBuffer& buffer);

/// Both, sorted by header; of two with one header, that of `blocks`.
std::vector<FoldRegion> withBlocks(std::vector<FoldRegion> regions, std::vector<FoldRegion> blocks);

enum class RowKind : uint8_t {
  Line,       ///< a line of the text
  Filler,     ///< nothing: the other side of a comparison has a line here
  Collapsed,  ///< stands for `count` lines from `line` on
  Inset,      ///< room for a widget below the line before
};

/// One row of the view.
struct Row {
  RowKind kind = RowKind::Line;
  uint32_t line = 0;
  uint32_t count = 1;
};

/// Rows without text below a line.
struct RowInset {
  uint32_t line = 0;
  uint32_t rows = 0;
};

/// Rows of the view to lines of the text and back. Without folds or fillers it holds no table.
class RowMap {
 public:
  void setIdentity(uint32_t lines) {
    lines_ = lines;
    rows_.clear();
  }
  /// Rows in order of their lines; every line appears at most once.
  void setRows(std::vector<Row> rows) { rows_ = std::move(rows); }
  /// All lines but those inside folded regions (`folded` holds headers), and an inset where it has rows.
  void setFolded(uint32_t lines, const std::vector<FoldRegion>& regions, const std::set<uint32_t>& folded,
                 RowInset inset = {});

  uint32_t rowCount() const { return rows_.empty() ? lines_ : static_cast<uint32_t>(rows_.size()); }
  Row row(uint32_t index) const { return rows_.empty() ? Row{RowKind::Line, index, 1} : rows_[index]; }
  /// The row that shows a line, or the nearest one before it where the line is hidden.
  uint32_t rowOf(uint32_t line) const;
  bool isIdentity() const { return rows_.empty(); }

 private:
  uint32_t lines_ = 0;
  std::vector<Row> rows_;
};

}  // namespace rx
