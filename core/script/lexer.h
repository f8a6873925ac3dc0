// Tokens of the Python subset, cut on demand out of a range of a text; nothing is copied. Lines, indentation and line
// joining inside brackets are those of the Python reference (lexical analysis).
#pragma once

#include <string_view>
#include <vector>

#include "core/script/names.h"
#include "core/support/diagnostic.h"

namespace rx::script {

enum class Tok : uint8_t {
  End,
  Newline,
  Indent,
  Dedent,
  Name,  ///< keywords are names with ids below Keyword::kCount
  Int,
  Float,
  String,
  FString,
  // Punctuation
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Dot,
  Semicolon,
  At,
  Assign,
  Arrow,
  Ellipsis,
  Walrus,
  AugAssign,
  // Operators
  Plus,
  Minus,
  Star,
  DoubleStar,
  Slash,
  DoubleSlash,
  Percent,
  LShift,
  RShift,
  Amp,
  Pipe,
  Caret,
  Tilde,
  Lt,
  Gt,
  Le,
  Ge,
  EqEq,
  NotEq,
  Invalid,
};

/// Python's keywords and the few names that the syntax itself looks for; Names gives them these ids (internKeywords).
enum class Keyword : NameId {
  kFalse,
  kNone,
  kTrue,
  kAnd,
  kAs,
  kAssert,
  kAsync,
  kAwait,
  kBreak,
  kClass,
  kContinue,
  kDef,
  kDel,
  kElif,
  kElse,
  kExcept,
  kFinally,
  kFor,
  kFrom,
  kGlobal,
  kIf,
  kImport,
  kIn,
  kIs,
  kLambda,
  kNonlocal,
  kNot,
  kOr,
  kPass,
  kRaise,
  kReturn,
  kTry,
  kWhile,
  kWith,
  kYield,
  kCount
};
/// Gives the keywords their ids; called once on an empty table.
void internKeywords(Names& names);

struct Token {
  Tok kind = Tok::End;
  Tok op = Tok::Invalid;  ///< of AugAssign: the operator
  NameId name = Names::kNone;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool is(Keyword k) const { return kind == Tok::Name && name == static_cast<NameId>(k); }
};

/// Reads `text` from `begin` to `end`. `text` must be valid UTF-8 without NUL (checkEncoding).
class Lexer {
 public:
  /// A block of lines: the first line gives the base indentation, a line left of it ends the input.
  Lexer(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names);
  /// One expression (no lines), as inside brackets.
  static Lexer expression(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names);

  Token next();
  /// Skips to the end of the present logical line (after an error); brackets are closed.
  void skipLine();
  /// Called right after the Newline of a compound statement's head: skips its indented body.
  void skipBlock();
  uint32_t position() const { return at_; }
  /// The character behind the last token; NUL at the end.
  char following() const { return peek(); }
  uint32_t indent() const { return indents_.empty() ? 0 : indents_.back(); }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }

 private:
  Token lineStart();
  /// The end of the name at an offset.
  uint32_t afterWord(uint32_t at) const;
  Token number();
  Token string(uint32_t begin, std::string_view prefix);
  Token punctuation();
  Token make(Tok kind, uint32_t begin) const { return {kind, Tok::Invalid, Names::kNone, begin, at_}; }
  void error(uint32_t begin, uint32_t end, std::string rule, std::string message, std::string fix = {});
  char peek(uint32_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }

  std::string_view text_;
  uint32_t at_;
  uint32_t end_;
  uint32_t file_;
  Names* names_;
  std::vector<uint32_t> indents_;
  uint32_t dedents_ = 0;
  uint32_t depth_ = 0;  ///< open brackets
  uint32_t open_ = 0;   ///< the outermost of them
  bool atLineStart_ = true;
  bool lines_ = true;
  bool finished_ = false;
  std::vector<Diagnostic> diagnostics_;
};

/// What makes a text unreadable: invalid UTF-8, NUL bytes. Empty when it is fine.
std::vector<Diagnostic> checkEncoding(std::string_view text, uint32_t file);
/// Decodes a string literal token (prefix, quotes and escapes included) to its value; adds errors of escapes.
std::string decodeString(std::string_view literal);

}  // namespace rx::script
