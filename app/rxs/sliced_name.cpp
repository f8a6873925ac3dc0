#include "app/rxs/sliced_name.h"

#include <charconv>

#include "core/support/text_lines.h"

namespace rx::cli {
namespace {

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// False where the text is no range.
bool addRange(std::string_view text, SlicedName& name) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view begin = trimmed(text.substr(0, colon), " "), end = trimmed(text.substr(colon + 1), " ");
  if (begin.empty() && end.empty()) return name.axes.push_back(std::nullopt), true;
  const std::optional<int64_t> first = begin.empty() ? 0 : number(begin), behind = number(end);
  if (!first || !behind || *behind < *first) return false;
  name.axes.push_back(IndexRange{*first, *behind});
  return true;
}

}  // namespace

std::optional<SlicedName> slicedName(std::string_view text) {
  const size_t open = text.rfind('[');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(']')) return std::nullopt;
  SlicedName name{std::string(text.substr(0, open)), {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (true) {
    const size_t comma = rest.find(',');
    if (!addRange(rest.substr(0, comma), name)) return std::nullopt;
    if (comma == std::string_view::npos) return name;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace rx::cli
