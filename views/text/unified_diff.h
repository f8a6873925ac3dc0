// A comparison as one text: what went and what came one below the other, as a patch shows them.
#pragma once

#include "views/text/text_diff.h"

namespace rx {

struct UnifiedDiff {
  /// A line of it: both sides where nothing changed, else one of them (-1 where it is not of that side).
  struct Line {
    int32_t left = -1;
    int32_t right = -1;
    uint32_t row = 0;  ///< of the comparison
  };
  std::string text;  ///< lines behind "  ", "- " and "+ "
  std::vector<Line> lines;
  std::vector<LineTone> tones;
  std::vector<WordTone> words;
};

UnifiedDiff unified(const TextDiff& diff, const TextBuffer& left, const TextBuffer& right);

}  // namespace rx
