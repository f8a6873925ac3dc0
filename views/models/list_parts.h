// Lists in texts: what stands between the commas.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rx::views {

struct ListParts {
  struct Part {
    size_t begin = 0;  ///< bytes of the text, behind the bracket or the comma before the part
    size_t end = 0;    ///< of the comma, of the bracket that closes the list, or the text's end
  };
  std::vector<Part> parts;  ///< one and empty for an empty list
  bool closed = false;      ///< by a bracket that was not opened in it; else the text ended before
};

/// The list that begins at `begin`, which is behind its bracket where it has one. Commas in brackets of any kind and in
/// quoted texts divide nothing.
ListParts listParts(std::string_view text, size_t begin = 0);

}  // namespace rx::views
