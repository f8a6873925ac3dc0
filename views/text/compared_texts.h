// A comparison of two texts with all that its views draw: made on a worker, since a long text has as much of it.
#pragma once

#include <memory>

#include "views/text/unified_diff.h"

namespace rx {

struct ComparedTexts {
  TextDiff diff;
  TextBufferPtr left, right;
  UnifiedDiff merged;
  TextBufferPtr mergedBuffer;
  std::vector<LineTone> leftTones, rightTones;
  std::vector<SideNumbers> numbers;  ///< of the lines of `merged`
};

std::shared_ptr<const ComparedTexts> comparedTexts(TextDiff diff, TextBufferPtr left, TextBufferPtr right);

}  // namespace rx
