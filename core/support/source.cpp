#include "core/support/source.h"

#include <algorithm>
#include <cstring>

namespace rx {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  // Of the line ends that Python knows this one has no '\n' in it: from here on it has, in the same place.
  if (text_.find('\n') == std::string::npos) std::replace(text_.begin(), text_.end(), '\r', '\n');
  lineStarts_.push_back(0);
  const char* data = text_.data();
  size_t at = 0;
  while (const void* hit = std::memchr(data + at, '\n', text_.size() - at)) {
    at = static_cast<size_t>(static_cast<const char*>(hit) - data) + 1;
    lineStarts_.push_back(static_cast<uint32_t>(at));
  }
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  uint32_t line = static_cast<uint32_t>(next - lineStarts_.begin());
  uint32_t column = 1;
  for (uint32_t i = lineStarts_[line - 1]; i < offset; ++i) {
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  }
  return {line, column};
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > lineCount()) return {};
  uint32_t begin = lineStarts_[number - 1];
  uint32_t end = number < lineCount() ? lineStarts_[number] - 1 : static_cast<uint32_t>(text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceFile::lineStart(uint32_t number) const {
  if (number == 0) return 0;
  return number > lineCount() ? static_cast<uint32_t>(text_.size()) : lineStarts_[number - 1];
}

}  // namespace rx
