#include "views/text/text_buffer.h"

#include <algorithm>
#include <cstring>

namespace rx {

TextBuffer::TextBuffer(std::string text) : text_(std::move(text)) {
  starts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* at = begin; at < end;) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    const char* stop = newline ? newline : end;
    longest_ = std::max(longest_, static_cast<uint32_t>(stop - at));
    if (!newline) break;
    at = newline + 1;
    if (at < end) starts_.push_back(static_cast<uint32_t>(at - begin));
  }
  findTripleStrings();
}

void TextBuffer::findTripleStrings() {
  const std::string_view all = text_;
  size_t at = all.find("\"\"\"");
  while (at != std::string_view::npos) {
    tripleQuotes_.push_back(static_cast<uint32_t>(at));
    at = all.find("\"\"\"", at + 3);
  }
}

uint32_t TextBuffer::lineEnd(uint32_t index) const {
  uint32_t end = index + 1 < lineCount() ? starts_[index + 1] : size();
  if (end > starts_[index] && text_[end - 1] == '\n') --end;
  if (end > starts_[index] && text_[end - 1] == '\r') --end;
  return end;
}

std::string_view TextBuffer::line(uint32_t index) const {
  if (index >= lineCount()) return {};
  return std::string_view(text_).substr(starts_[index], lineEnd(index) - starts_[index]);
}

uint32_t TextBuffer::lineOf(uint32_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<uint32_t>(after - starts_.begin()) - 1;
}

bool TextBuffer::beginsInString(uint32_t index) const {
  const auto before = std::lower_bound(tripleQuotes_.begin(), tripleQuotes_.end(), starts_[index]);
  return (before - tripleQuotes_.begin()) % 2 == 1;
}

}  // namespace rx
