// views/text: a read-only, line-indexed text view for IR, with folding, squiggles, inline values, find and diff.
//
// The bytes are kept as they are (UTF-8) with one offset a line; only painted lines are ever decoded or tokenised, so
// a text of a million lines opens as fast as it can be scanned for line breaks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rx {

/// An immutable text with its line starts. Lines are zero-based; offsets are bytes.
class TextBuffer {
 public:
  explicit TextBuffer(std::string text);
  static std::shared_ptr<const TextBuffer> from(std::string text) {
    return std::make_shared<const TextBuffer>(std::move(text));
  }

  std::string_view text() const { return text_; }
  /// At least one: an empty text is one empty line. A line break at the end does not open another line.
  uint32_t lineCount() const { return static_cast<uint32_t>(starts_.size()); }
  /// Without its line break.
  std::string_view line(uint32_t index) const;
  uint32_t lineStart(uint32_t index) const { return starts_[index]; }
  /// Offset just past the last byte before the line break.
  uint32_t lineEnd(uint32_t index) const;
  uint32_t lineOf(uint32_t offset) const;
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
  uint32_t longestLine() const { return longest_; }
  /// True where the line begins inside a string of triple quotes that an earlier line opened.
  bool beginsInString(uint32_t index) const;

 private:
  void findTripleStrings();
  std::string text_;
  std::vector<uint32_t> starts_;
  std::vector<uint32_t> tripleQuotes_;  // offsets of the triple quotes that open and close strings, alternating
  uint32_t longest_ = 0;
};

using TextBufferPtr = std::shared_ptr<const TextBuffer>;

}  // namespace rx
