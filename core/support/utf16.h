// Places in UTF-8 text as those count them who keep text as UTF-16. Bytes that are not UTF-8 count as one unit each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rx {

/// Code units of UTF-16 that the text takes.
int64_t utf16Length(std::string_view text);
/// The byte at which so many code units of UTF-16 end; a place inside of a character is where it begins, one behind the
/// text its end.
size_t offsetOfUtf16(std::string_view text, int64_t units);

}  // namespace rx
