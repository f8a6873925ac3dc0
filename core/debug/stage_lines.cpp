#include "core/debug/stage_lines.h"

#include <algorithm>
#include <map>

namespace rx::debug {

namespace {

/// The lines of a text by what they begin with.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    while (!text.empty()) {
      const size_t length = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, length));
      text.remove_prefix(std::min(length + 1, text.size()));
    }
  }
  /// A one-based line without its indentation.
  std::string_view statement(uint32_t line) const { return line_(line).substr(indentation(line)); }
  size_t indentation(uint32_t line) const { return std::min(line_(line).find_first_not_of(" \t"), line_(line).size()); }
  /// The first line from here on that says something.
  uint32_t spoken(uint32_t line) const {
    while (line < lines_.size() && (statement(line).empty() || isComment(statement(line)))) ++line;
    return line;
  }
  static bool isComment(std::string_view statement) {
    return statement.starts_with('#') || statement.starts_with("//");
  }
  /// What a line says behind the end of a block that it may begin with.
  std::string_view behindBlock(uint32_t line) const {
    const std::string_view said = statement(line);
    return said.substr(std::min(said.find_first_not_of("} "), said.size()));
  }
  bool empty() const { return lines_.empty(); }
  uint32_t count() const { return static_cast<uint32_t>(lines_.size()); }

 private:
  std::string_view line_(uint32_t line) const {
    return line == 0 || line > lines_.size() ? std::string_view() : lines_[line - 1];
  }
  std::vector<std::string_view> lines_;
};

/// Whether a line stands in the block that `other` stands in, or is the head of the function.
bool sameBlock(const Lines& lines, const StageFunction& function, uint32_t line, uint32_t other) {
  if (lines.empty()) return true;
  const uint32_t here = lines.spoken(line);
  if (lines.behindBlock(here).starts_with("else") || lines.behindBlock(here).starts_with("elif")) return false;
  return lines.indentation(here) == lines.indentation(other) ||
         (here < other && lines.indentation(here) == lines.indentation(function.line));
}

/// The lines of a sequence and what comes next in it.
struct SequenceLines {
  int parent = -1;
  uint32_t first = 0;
  uint32_t last = 0;
  int next = -1;  ///< ordinal of the first binding behind the line
};

std::map<int, SequenceLines> sequencesOf(const StageFunction& function, uint32_t file, uint32_t line) {
  std::map<int, SequenceLines> found;
  for (const StageBinding& row : function.bindings) {
    if (row.file != file || row.line == 0) continue;
    auto [at, added] = found.try_emplace(row.sequence, SequenceLines{row.parent, row.line, row.lastLine, -1});
    SequenceLines& lines = at->second;
    lines.first = std::min(lines.first, row.line);
    lines.last = std::max(lines.last, row.lastLine);
    if (row.line > line && lines.next < 0) lines.next = row.ordinal;
  }
  return found;
}

/// Whether a binding stands in the value of another.
bool standsIn(const StageFunction& function, const StageBinding& row, const StageBinding& outer) {
  const StageBinding* around = &row;
  while (around->parent > outer.ordinal) around = &function.bindings[static_cast<size_t>(around->parent)];
  return around->parent == outer.ordinal;
}

/// The innermost binding that covers a line; of several side by side, as the parts of an expression have them, the
/// first of those with the fewest lines.
const StageBinding* covering(const StageFunction& function, uint32_t file, uint32_t line) {
  const StageBinding* inner = nullptr;
  for (const StageBinding& row : function.bindings) {
    if (row.file != file || row.line == 0 || row.line > line || line > row.lastLine) continue;
    if (!inner || standsIn(function, row, *inner) || row.lastLine - row.line < inner->lastLine - inner->line)
      inner = &row;
  }
  return inner;
}

/// At the head of a local function its first binding.
const StageBinding* firstInside(const StageFunction& function, const Lines& lines, uint32_t file, uint32_t line) {
  const auto behind = [&](const StageBinding& row) { return row.file == file && row.line > line; };
  const auto next = std::find_if(function.bindings.begin(), function.bindings.end(), behind);
  const bool head = lines.statement(line).starts_with("def ") && next != function.bindings.end() && next->parent >= 0 &&
                    lines.indentation(next->line) > lines.indentation(line);
  return head ? &*next : nullptr;
}

}  // namespace

LinePlace placeAt(const StageFunction& function, int index, uint32_t file, uint32_t line, std::string_view source) {
  const Lines lines(source);
  const StageBinding* inner = covering(function, file, line);
  const bool holds = inner && std::any_of(function.bindings.begin(), function.bindings.end(),
                                          [&](const StageBinding& row) { return row.parent == inner->ordinal; });
  if (inner && (!holds || line == inner->line)) return {{index, inner->ordinal}};
  const bool inFunction = function.file == file && function.line <= line && line <= function.lastLine;
  if (!inner && function.line > 0 && !inFunction) return {};
  if (const StageBinding* first = firstInside(function, lines, file, line)) return {{index, first->ordinal}};
  const int parent = inner ? inner->ordinal : -1;
  // Before its first binding a sequence begins behind the end of the one before it, which no row tells: only the first
  // sequence inside of a binding takes such lines.
  bool earlier = false;
  uint32_t last = 0;
  for (const auto& [number, sequence] : sequencesOf(function, file, line)) {
    last = std::max(last, sequence.last);
    if (sequence.parent != parent && sequence.first > line) continue;
    const bool begun = sequence.first <= line || (!earlier && (inner || inFunction));
    const StageBinding* next = sequence.next < 0 ? nullptr : &function.bindings[static_cast<size_t>(sequence.next)];
    if (begun && next && sameBlock(lines, function, line, next->line)) return {{index, next->ordinal}};
    earlier = true;
  }
  const bool returns = !inner && inFunction && line > last && sameBlock(lines, function, line, function.lastLine);
  return returns ? LinePlace{{}, index} : LinePlace{};
}

uint32_t lastLineOf(const StageFunction& function, const std::vector<StageFunction>& all, const SourceList& sources) {
  uint32_t last = function.lastLine;
  for (const StageBinding& row : function.bindings)
    if (row.file == function.file) last = std::max(last, row.lastLine);
  if (function.line == 0 || function.file >= sources.size()) return last;
  const Lines lines(sources[function.file]->text());
  uint32_t end = lines.count() + 1;
  for (const StageFunction& other : all)
    if (other.file == function.file && other.line > function.line) end = std::min(end, other.line);
  // No node keeps the place of a `return`: it is the last statement before the next function.
  for (uint32_t line = end; --line > last;)
    if (lines.statement(line).starts_with("return")) return line;
  return last;
}

}  // namespace rx::debug
