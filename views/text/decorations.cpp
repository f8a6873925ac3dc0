#include "views/text/decorations.h"

#include <algorithm>
#include <utility>

#include "views/text/text_buffer.h"
#include "views/theme/qt_text.h"

namespace rx {
namespace {

template <class T>
const T* ofLine(const std::vector<T>& rows, uint32_t line) {
  auto it = std::lower_bound(rows.begin(), rows.end(), line, [](const T& row, uint32_t l) { return row.line < l; });
  return it != rows.end() && it->line == line ? &*it : nullptr;
}

template <class T>
const T* ofOffset(const std::vector<T>& ranges, uint32_t offset) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), offset,
                             [](uint32_t o, const T& range) { return o < range.begin; });
  if (it == ranges.begin()) return nullptr;
  --it;
  return offset <= it->end ? &*it : nullptr;
}

}  // namespace

LineNotes::LineNotes(std::vector<LineNote> notes) {
  for (LineNote& note : notes) {
    lines_.push_back(note.line);
    made_.try_emplace(note.line, std::move(note));
  }
  std::sort(lines_.begin(), lines_.end());
}

const LineNote* LineNotes::of(uint32_t line) const {
  if (const auto made = made_.find(line); made != made_.end()) return &made->second;
  if (!make_ || !std::binary_search(lines_.begin(), lines_.end(), line)) return nullptr;
  return &made_.try_emplace(line, make_(line)).first->second;
}

void LineNotes::dropBeyond(uint32_t count) {
  lines_.erase(std::lower_bound(lines_.begin(), lines_.end(), count), lines_.end());
  std::erase_if(made_, [count](const auto& made) { return made.first >= count; });
}

const Link* TextDecorations::linkAt(uint32_t offset) const { return ofOffset(links, offset); }
const Squiggle* TextDecorations::squiggleAt(uint32_t offset) const { return ofOffset(squiggles, offset); }
const LineNote* TextDecorations::noteOf(uint32_t line) const { return notes.of(line); }
const GutterMark* TextDecorations::markOf(uint32_t line) const { return ofLine(marks, line); }
const PlaceMark* TextDecorations::placeOf(uint32_t line) const { return ofLine(places, line); }
const LineTone* TextDecorations::toneOf(uint32_t line) const { return ofLine(lineTones, line); }

const Link* TextDecorations::definitionIn(uint32_t begin, uint32_t end) const {
  auto it =
      std::lower_bound(links.begin(), links.end(), begin, [](const Link& link, uint32_t o) { return link.begin < o; });
  for (; it != links.end() && it->begin < end; ++it)
    if (it->role == LinkRole::Definition) return &*it;
  return nullptr;
}

const LineBand* TextDecorations::bandOf(uint32_t line) const {
  auto it =
      std::upper_bound(bands.begin(), bands.end(), line, [](uint32_t l, const LineBand& b) { return l < b.first; });
  if (it == bands.begin()) return nullptr;
  --it;
  return line <= it->last ? &*it : nullptr;
}

MarkKind markOf(Severity severity) {
  return severity == Severity::Error     ? MarkKind::Error
         : severity == Severity::Warning ? MarkKind::Warning
                                         : MarkKind::Note;
}

Squiggle squiggleIn(const TextBuffer& buffer, uint32_t line, int column, int endColumn) {
  const std::string_view bytes = buffer.line(line);
  const QString text = views::qtText(bytes);
  const auto byteOf = [&](int at) {
    return buffer.lineStart(line) +
           static_cast<uint32_t>(text.left(std::clamp<qsizetype>(at - 1, 0, text.size())).toUtf8().size());
  };
  Squiggle squiggle;
  squiggle.begin = byteOf(column);
  squiggle.end = std::max(squiggle.begin, byteOf(endColumn));
  return squiggle;
}

std::vector<Squiggle> apart(std::vector<Squiggle> squiggles) {
  std::sort(squiggles.begin(), squiggles.end(),
            [](const Squiggle& a, const Squiggle& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::vector<Squiggle> kept;
  for (Squiggle& squiggle : squiggles) {
    if (kept.empty() || squiggle.begin >= kept.back().end) kept.push_back(std::move(squiggle));
  }
  return kept;
}

}  // namespace rx
