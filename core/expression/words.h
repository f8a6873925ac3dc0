// The words of the expression language: what can stand behind a dot and what can be called.
#pragma once

#include <span>
#include <string_view>

namespace rx::debug {

struct Word {
  std::string_view name;
  std::string_view form;  ///< "nan(x)"
  std::string_view help;  ///< "how many elements are NaN"
  bool member;            ///< `x.nan`
  int least;              ///< arguments of the function; 0: it is no function
  int most;
};

/// All of them, in the order of a list for people.
std::span<const Word> expressionWords();
/// The word of that name that can be called (or, with `member`, stand behind a dot); null where there is none.
const Word* expressionWord(std::string_view name, bool member);

/// The name that is being written at a place of an expression: bytes [begin, end), behind a dot or not. Empty ranges
/// are places where a name may begin.
struct WordPlace {
  size_t begin = 0;
  size_t end = 0;
  bool member = false;
  bool possible = true;  ///< false inside of a text or a number
};
WordPlace wordPlace(std::string_view text, size_t cursor);

}  // namespace rx::debug
