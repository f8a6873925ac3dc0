#include "views/models/list_parts.h"

namespace rx::views {

ListParts listParts(std::string_view text, size_t begin) {
  constexpr std::string_view kOpening = "([{", kClosing = ")]}";
  ListParts list;
  int depth = 0;
  char quote = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    const bool closes = kClosing.find(c) != std::string_view::npos;
    if (depth == 0 && (c == ',' || closes)) {
      list.parts.push_back({begin, i});
      begin = i + 1;
      list.closed = closes;
      if (closes) return list;
    }
    depth += (kOpening.find(c) != std::string_view::npos) - closes;
  }
  list.parts.push_back({begin, text.size()});
  return list;
}

}  // namespace rx::views
