#include "core/expression/words.h"

#include <algorithm>

namespace rx::debug {

namespace {

constexpr Word kWords[] = {
    {"nan", "nan(x)", "how many elements are NaN", true, 1, 1},
    {"inf", "inf(x)", "how many elements are infinite", true, 1, 1},
    {"min", "min(x) or min(a, b)", "the smallest element, NaN where there is one; x.min is that of the finite ones",
     true, 1, 8},
    {"max", "max(x) or max(a, b)", "the largest element, NaN where there is one; x.max is that of the finite ones",
     true, 1, 8},
    {"mean", "mean(x)", "the mean of all elements; x.mean is that of the finite ones", true, 1, 1},
    {"abs", "abs(x)", "without its sign, element by element", false, 1, 1},
    {"shape", "shape(x)", "the numbers of the shape", true, 1, 1},
    {"dtype", "dtype(x)", "the data type as text", true, 1, 1},
    {"size", "size(x)", "how many elements", true, 1, 1},
    {"ndim", "ndim(x)", "how many dimensions", true, 1, 1},
    {"bytes", "bytes(x)", "bytes of a tensor or a storage", true, 1, 1},
    {"isnan", "isnan(a)", "whether a number is NaN", false, 1, 1},
    {"isinf", "isinf(a)", "whether a number is infinite", false, 1, 1},
    {"sqrt", "sqrt(a)", "the square root of a number", false, 1, 1},
    {"floor", "floor(a)", "the next integer below", false, 1, 1},
    {"ceil", "ceil(a)", "the next integer above", false, 1, 1},
};

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::span<const Word> expressionWords() { return kWords; }

const Word* expressionWord(std::string_view name, bool member) {
  const auto found = std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& word) {
    return word.name == name && (member ? word.member : word.least > 0);
  });
  return found == std::end(kWords) ? nullptr : found;
}

WordPlace wordPlace(std::string_view text, size_t cursor) {
  cursor = std::min(cursor, text.size());
  WordPlace place{cursor, cursor, false, true};
  while (place.begin > 0 && isNameByte(text[place.begin - 1])) --place.begin;
  while (place.end < text.size() && isNameByte(text[place.end])) ++place.end;
  if (place.begin > 0 && text[place.begin - 1] == '%') --place.begin;
  if (place.begin < place.end && isDigit(text[place.begin])) place.possible = false;
  char quote = 0;
  for (const char c : text.substr(0, place.begin))
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
  if (quote) place.possible = false;
  size_t before = place.begin;
  while (before > 0 && text[before - 1] == ' ') --before;
  place.member = before > 0 && text[before - 1] == '.' && !(before > 1 && isDigit(text[before - 2]));
  return place;
}

}  // namespace rx::debug
