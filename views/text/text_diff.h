// Two texts side by side: which lines stand beside each other and what changed in them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/support/cancel.h"
#include "views/text/decorations.h"
#include "views/text/text_buffer.h"

namespace rx {

/// A row of the comparison; -1: the other side has a line here that this one has not.
struct DiffRow {
  int32_t left = -1;
  int32_t right = -1;
  bool changed = false;
  bool operator==(const DiffRow&) const = default;
};

struct TextDiff {
  std::vector<DiffRow> rows;
  /// First row of each stretch of changed rows.
  std::vector<uint32_t> changes;
  std::vector<WordTone> leftWords, rightWords;
  uint32_t added = 0, removed = 0, edited = 0;  ///< lines
};

/// What makes lines equal where not all of their text counts.
struct LineLikeness {
  std::vector<std::string> left, right;  ///< a key a line: lines with one key are equal,
  /// unless this says no. Asked once for each pair of lines that stand beside each other, from above.
  std::function<bool(uint32_t left, uint32_t right)> agrees;
};

/// Nothing when cancelled. Without a likeness lines are compared by their text.
std::optional<TextDiff> diffTexts(const TextBuffer& left, const TextBuffer& right, const CancelToken& cancel,
                                  const LineLikeness* likeness = nullptr);

}  // namespace rx
