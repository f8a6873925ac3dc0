#include "core/script/lines.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rx::script {

namespace {
/// The characters that decide where a logical line ends.
constexpr std::array<bool, 256> kDeciding = [] {
  std::array<bool, 256> table{};
  for (char c : std::string_view("#\n\"'\\()[]{}")) table[static_cast<uint8_t>(c)] = true;
  return table;
}();

/// "@I.", not the operator with a blank behind it.
bool beginsDecorator(std::string_view text, uint32_t at, uint32_t end) {
  if (at + 1 >= end || text[at] != '@') return false;
  const char c = text[at + 1];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
}  // namespace

uint32_t afterLine(std::string_view text, uint32_t at, uint32_t end) {
  const void* hit = std::memchr(text.data() + at, '\n', end - at);
  return hit ? static_cast<uint32_t>(static_cast<const char*>(hit) - text.data()) + 1 : end;
}

bool tripleQuote(std::string_view text, uint32_t at, uint32_t end) {
  return at + 2 < end && text[at + 1] == text[at] && text[at + 2] == text[at];
}

uint32_t afterLiteral(std::string_view text, uint32_t at, uint32_t end, bool* closed) {
  const char quote = text[at];
  const bool triple = tripleQuote(text, at, end);
  const uint32_t width = triple ? 3 : 1;
  for (at += width; at < end; ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;  // also in raw texts a backslash keeps a quote from closing
    } else if (c == quote && (!triple || tripleQuote(text, at, end))) {
      if (closed) *closed = true;
      return at + width;
    } else if (c == '\n' && !triple) {
      return at;
    }
  }
  return end;
}

uint32_t afterLogicalLine(std::string_view text, uint32_t at, uint32_t end, AtDecorator decorator) {
  uint32_t open = 0;
  while (true) {
    while (at < end && !kDeciding[static_cast<uint8_t>(text[at])]) ++at;
    if (at >= end) return end;
    switch (text[at]) {
      case '#':
        at = afterLine(text, at, end);
        if (open == 0) return at;
        break;
      case '\n':
        ++at;
        if (open == 0) return at;
        if (decorator == AtDecorator::Ends && beginsDecorator(text, at, end)) return at;
        break;
      case '"':
      case '\'':
        at = afterLiteral(text, at, end);
        break;
      case '\\':
        at += at + 2 < end && text[at + 1] == '\r' && text[at + 2] == '\n' ? 3 : 2;
        break;
      case '(':
      case '[':
      case '{':
        ++open;
        ++at;
        break;
      default:
        open -= open > 0;
        ++at;
    }
  }
}

}  // namespace rx::script
