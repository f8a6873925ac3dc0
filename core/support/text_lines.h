// Text without the blanks around it, and line by line.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace rx {

inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\n") {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes the first line off a text, without its line break; nothing where no text is left.
inline std::optional<std::string_view> takeLine(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace rx
