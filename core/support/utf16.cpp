#include "core/support/utf16.h"

namespace rx {
namespace {

/// Bytes of the character that begins here: 1 where none does.
size_t characterBytes(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t bytes = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  if (first >= 0xF8 || at + bytes > text.size()) return 1;
  for (size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0u) != 0x80u) return 1;
  return bytes;
}

/// Only characters of four bytes lie beyond the first plane.
int64_t unitsOf(size_t bytes) { return bytes == 4 ? 2 : 1; }

}  // namespace

int64_t utf16Length(std::string_view text) {
  int64_t units = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = characterBytes(text, at);
    units += unitsOf(bytes);
    at += bytes;
  }
  return units;
}

size_t offsetOfUtf16(std::string_view text, int64_t units) {
  size_t at = 0;
  while (at < text.size() && units > 0) {
    const size_t bytes = characterBytes(text, at);
    units -= unitsOf(bytes);
    if (units < 0) break;
    at += bytes;
  }
  return at;
}

}  // namespace rx
