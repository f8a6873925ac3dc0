// Tokens of Relay's text format, version 0.0.5, and 0.0.1 to 0.0.4 as TVM 0.5 and 0.6 wrote them. Nothing of the text
// is copied.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace rx::relay {

enum class Tok : uint8_t {
  End,
  Name,    ///< identifiers and keywords
  Local,   ///< %x
  Graph,   ///< %0
  Global,  ///< @main
  Number,
  String,
  Meta,      ///< the word `meta` before a bracket
  Version,   ///< #[version = "0.0.5"], v0.0.4
  Metadata,  ///< one of kMetadataHeads and all that follows
  LParen,
  RParen,
  LBrace,
  RBrace,
  LBracket,
  RBracket,
  Comma,
  Semicolon,
  Colon,
  Dot,
  Question,
  Assign,
  Arrow,     ///< ->
  FatArrow,  ///< =>
  Star,
  Slash,
  Plus,
  Minus,
  Lt,
  Le,
  Gt,
  Ge,
  EqEq,
  NotEq,
  AndAnd,
  OrOr,
};

/// What metadata begins with; the second and third in texts before version 0.0.5.
constexpr std::array<std::string_view, 3> kMetadataHeads = {"#[metadata]", "METADATA:", "/* meta data */"};

struct Token {
  Tok kind = Tok::End;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The tokens of a text, and where comments that state a type stand: `/* ty=... */`, by the token that they follow.
struct Tokens {
  std::vector<Token> tokens;  ///< the last is End
  std::vector<std::pair<uint32_t, Span>> types;
};

/// Cuts a text. Adds an error for each character that is none of the language.
Tokens tokenize(std::string_view text, uint32_t file, std::vector<Diagnostic>& diagnostics);
/// The same of a part of it.
Tokens tokenize(std::string_view text, Span part, std::vector<Diagnostic>& diagnostics);
/// The first `count` of a text, and End where it has fewer. What follows is not looked at.
std::vector<Token> firstTokens(std::string_view text, size_t count, std::vector<Diagnostic>& diagnostics);

}  // namespace rx::relay
