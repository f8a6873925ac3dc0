// Tokens of TVMScript and Relax text for colouring: one line at a time, no parsing, never fails.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rx {

enum class TokenKind : uint8_t {
  Keyword,
  Decorator,  ///< @R.function, @I.ir_module
  Type,       ///< R.Tensor, T.Buffer, R.Tuple
  Operator,   ///< R.matmul, T.exp
  Callee,     ///< cls.matmul, the function that a call names
  String,
  Number,
  Comment,
};

/// A coloured byte range of one line; what lies between tokens is plain.
struct Token {
  uint32_t begin = 0;
  uint32_t end = 0;
  TokenKind kind = TokenKind::Keyword;
  bool operator==(const Token&) const = default;
};

/// Replaces `tokens` by those of `line`. `inString`: the line begins inside a string of triple quotes.
void tokenizeLine(std::string_view line, bool inString, std::vector<Token>& tokens);

}  // namespace rx
