// Where texts, lines and logical lines of Python end: what can be told without cutting a text into tokens. Offsets are
// bytes; `end` is that of the range being read, at most the text's size.
#pragma once

#include <cstdint>
#include <string_view>

namespace rx::script {

/// The column behind an indenting character (Python reference, section 2.1.8).
constexpr uint32_t nextColumn(uint32_t column, char c) {
  return c == '\t' ? column / 8 * 8 + 8 : c == '\f' ? 0 : column + 1;
}

/// Behind the newline of the line that holds `at`.
uint32_t afterLine(std::string_view text, uint32_t at, uint32_t end);
/// Whether three equal quotes stand at `at`.
bool tripleQuote(std::string_view text, uint32_t at, uint32_t end);
/// Behind the text literal whose quote stands at `at`; a literal that is not `closed` ends with its line or the range.
uint32_t afterLiteral(std::string_view text, uint32_t at, uint32_t end, bool* closed = nullptr);
/// What a line is that begins with a decorator while brackets are open.
enum class AtDecorator : uint8_t {
  Continues,  ///< what the brackets began, as in Python
  Ends,       ///< another one: the brackets were never closed, as in lines of a log
};
/// Behind the newline that ends the logical line at `at`: one outside of brackets, literals and comments.
uint32_t afterLogicalLine(std::string_view text, uint32_t at, uint32_t end,
                          AtDecorator decorator = AtDecorator::Continues);

}  // namespace rx::script
