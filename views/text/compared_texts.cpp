#include "views/text/compared_texts.h"

namespace rx {

std::shared_ptr<const ComparedTexts> comparedTexts(TextDiff diff, TextBufferPtr left, TextBufferPtr right) {
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
