// What counts as part of a word in the bytes of a text.
#pragma once

namespace rx {

/// Letters, digits, underscores, and every byte of a code point beyond ASCII.
inline bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

}  // namespace rx
