// Bytes to text: UTF-8 check, string literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rx::script {

/// Offset of the first byte that is not UTF-8 (overlong forms and surrogates included) or is NUL; npos when all is
/// fine.
size_t firstBadByte(std::string_view text);
/// Appends a code point as UTF-8.
void appendUtf8(std::string& out, uint32_t codePoint);

}  // namespace rx::script
