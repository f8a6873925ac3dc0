// Two texts side by side: which lines stand beside each other and what changed in them.
#pragma once

#include <optional>

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

/// Nothing when cancelled.
std::optional<TextDiff> diffTexts(const TextBuffer& left, const TextBuffer& right, const CancelToken& cancel);

}  // namespace rx
