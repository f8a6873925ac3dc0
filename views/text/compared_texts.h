// A comparison of two texts with all that its views draw: made on a worker, since a long text has as much of it.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "views/text/folding.h"
#include "views/text/unified_diff.h"

namespace rx {

constexpr uint32_t kContext = 3;  ///< equal lines that stay around a change

struct ComparedTexts {
  TextDiff diff;
  TextBufferPtr left, right;
  UnifiedDiff merged;
  TextBufferPtr mergedBuffer;
  std::vector<LineTone> leftTones, rightTones;
  std::vector<SideNumbers> numbers;  ///< of the lines of `merged`
};

std::shared_ptr<ComparedTexts> comparedTexts(TextDiff diff, TextBufferPtr left, TextBufferPtr right);

/// The rows of both sides and of the text of both, with equal stretches collapsed.
struct ComparedRows {
  bool collapsed = false;
  std::vector<Row> left, right, unified;
  std::vector<uint32_t> collapsedRows;  ///< view rows that stand for a stretch, and
  std::vector<uint32_t> collapsedFrom;  ///< the first row of each
  std::vector<uint32_t> viewRows;       ///< view row of each row of the comparison
};

/// `expanded` are first rows of equal stretches that are not collapsed.
ComparedRows comparedRows(const ComparedTexts& texts, bool collapsed, const std::set<uint32_t>& expanded);

}  // namespace rx
