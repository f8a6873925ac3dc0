#include "core/script/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/script/encoding.h"
#include "core/script/lines.h"

namespace rx::script {

namespace {

enum CharClass : uint8_t { kOther = 0, kIdent = 1, kDigit = 2, kSpace = 4 };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = kIdent;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = kIdent;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = kDigit;
  for (int c = 0x80; c <= 0xff; ++c) table[static_cast<size_t>(c)] = kIdent;
  table['_'] = kIdent;
  table[' '] = table['\t'] = table['\r'] = table['\f'] = kSpace;
  return table;
}
constexpr std::array<uint8_t, 256> kClasses = makeClasses();
uint8_t classOf(char c) { return kClasses[static_cast<uint8_t>(c)]; }

constexpr std::string_view kKeywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                          "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                          "else",   "except", "finally", "for",      "from",     "global", "if",
                                          "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                          "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
static_assert(std::size(kKeywords) == static_cast<size_t>(Keyword::kCount));

struct Punctuation {
  std::string_view text;
  Tok kind;
  Tok op;
};
/// Longest first among those with the same first character.
constexpr Punctuation kPunctuation[] = {
    {"...", Tok::Ellipsis, {}},
    {"//=", Tok::AugAssign, Tok::DoubleSlash},
    {"**=", Tok::AugAssign, Tok::DoubleStar},
    {"<<=", Tok::AugAssign, Tok::LShift},
    {">>=", Tok::AugAssign, Tok::RShift},
    {"//", Tok::DoubleSlash, {}},
    {"**", Tok::DoubleStar, {}},
    {"<<", Tok::LShift, {}},
    {">>", Tok::RShift, {}},
    {"<=", Tok::Le, {}},
    {">=", Tok::Ge, {}},
    {"==", Tok::EqEq, {}},
    {"!=", Tok::NotEq, {}},
    {"->", Tok::Arrow, {}},
    {":=", Tok::Walrus, {}},
    {"+=", Tok::AugAssign, Tok::Plus},
    {"-=", Tok::AugAssign, Tok::Minus},
    {"*=", Tok::AugAssign, Tok::Star},
    {"/=", Tok::AugAssign, Tok::Slash},
    {"%=", Tok::AugAssign, Tok::Percent},
    {"&=", Tok::AugAssign, Tok::Amp},
    {"|=", Tok::AugAssign, Tok::Pipe},
    {"^=", Tok::AugAssign, Tok::Caret},
    {"@=", Tok::AugAssign, Tok::At},
    {"(", Tok::LParen, {}},
    {")", Tok::RParen, {}},
    {"[", Tok::LBracket, {}},
    {"]", Tok::RBracket, {}},
    {"{", Tok::LBrace, {}},
    {"}", Tok::RBrace, {}},
    {",", Tok::Comma, {}},
    {":", Tok::Colon, {}},
    {".", Tok::Dot, {}},
    {";", Tok::Semicolon, {}},
    {"@", Tok::At, {}},
    {"=", Tok::Assign, {}},
    {"+", Tok::Plus, {}},
    {"-", Tok::Minus, {}},
    {"*", Tok::Star, {}},
    {"/", Tok::Slash, {}},
    {"%", Tok::Percent, {}},
    {"&", Tok::Amp, {}},
    {"|", Tok::Pipe, {}},
    {"^", Tok::Caret, {}},
    {"~", Tok::Tilde, {}},
    {"<", Tok::Lt, {}},
    {">", Tok::Gt, {}},
};

/// Rows of kPunctuation by first character: begin and end of those that may match.
struct PunctuationIndex {
  std::array<std::array<int8_t, 4>, 128> rows{};
  constexpr PunctuationIndex() {
    for (auto& row : rows) row = {-1, -1, -1, -1};
    for (size_t i = 0; i < std::size(kPunctuation); ++i) {
      auto& row = rows[static_cast<size_t>(kPunctuation[i].text[0])];
      size_t at = 0;
      while (row[at] >= 0) ++at;
      row[at] = static_cast<int8_t>(i);
    }
  }
};
constexpr PunctuationIndex kPunctuationIndex;

}  // namespace

void internKeywords(Names& names) {
  for (std::string_view keyword : kKeywords) names.intern(keyword);
}

Lexer::Lexer(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names)
    : text_(text), at_(begin), end_(end), file_(file), names_(&names) {}

Lexer Lexer::expression(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names) {
  Lexer lexer(text, begin, end, file, names);
  lexer.lines_ = false;
  lexer.atLineStart_ = false;
  lexer.depth_ = 1;
  return lexer;
}

void Lexer::error(uint32_t begin, uint32_t end, std::string rule, std::string message, std::string fix) {
  Diagnostic d = errorAt({begin, end, file_}, std::move(rule), std::move(message));
  d.fix = std::move(fix);
  diagnostics_.push_back(std::move(d));
}

uint32_t Lexer::afterWord(uint32_t at) const {
  const char* const text = text_.data();
  while (at < end_ && (classOf(text[at]) & (kIdent | kDigit))) ++at;
  return at;
}

Token Lexer::lineStart() {
  while (true) {
    uint32_t column = 0;
    while (at_ < end_ && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\f')) {
      column = nextColumn(column, text_[at_]);
      ++at_;
    }
    if (at_ >= end_) {
      finished_ = true;
      dedents_ = indents_.empty() ? 0 : static_cast<uint32_t>(indents_.size()) - 1;
      indents_.resize(indents_.empty() ? 0 : 1);
      break;
    }
    char c = text_[at_];
    if (c == '#' || c == '\n' || c == '\r') {
      at_ = afterLine(text_, at_, end_);
      continue;
    }
    atLineStart_ = false;
    if (indents_.empty()) {
      indents_.push_back(column);
      break;
    }
    if (column > indents_.back()) {
      indents_.push_back(column);
      return make(Tok::Indent, at_);
    }
    while (indents_.size() > 1 && column < indents_.back()) {
      indents_.pop_back();
      ++dedents_;
    }
    if (column < indents_.back()) {  // left of the base
      finished_ = true;
    } else if (column > indents_.back()) {
      error(at_, at_ + 1, "script.indent", "the indentation of this line matches no line that it could continue",
            "indent it as the lines of its block");
      indents_.push_back(column);
      if (dedents_) --dedents_;
    }
    break;
  }
  if (dedents_) {
    --dedents_;
    return make(Tok::Dedent, at_);
  }
  return make(finished_ ? Tok::End : Tok::Invalid, at_);
}

Token Lexer::next() {
  if (dedents_) {
    --dedents_;
    return make(Tok::Dedent, at_);
  }
  if (finished_) return make(Tok::End, at_);
  if (atLineStart_ && lines_) {
    Token token = lineStart();
    if (token.kind != Tok::Invalid) return token;
  }
  while (true) {
    while (at_ < end_ && (classOf(text_[at_]) & kSpace)) ++at_;
    if (at_ >= end_) {
      if (lines_ && depth_ == 0 && !atLineStart_) {
        atLineStart_ = true;
        return make(Tok::Newline, at_);
      }
      if (lines_ && depth_ > 0) {
        error(at_ ? at_ - 1 : 0, at_, "script.bracket",
              "the text ends inside the bracket that line " +
                  std::to_string(1 + std::count(text_.begin(), text_.begin() + open_, '\n')) + " opens",
              "close it");
        depth_ = 0;
        atLineStart_ = true;
        return make(Tok::Newline, at_);
      }
      finished_ = true;
      return make(Tok::End, at_);
    }
    char c = text_[at_];
    if (c == '#') {
      const void* hit = std::memchr(text_.data() + at_, '\n', end_ - at_);
      at_ = hit ? static_cast<uint32_t>(static_cast<const char*>(hit) - text_.data()) : end_;
      continue;
    }
    if (c == '\n') {
      uint32_t begin = at_++;
      if (depth_ > 0) continue;
      atLineStart_ = true;
      return {Tok::Newline, Tok::Invalid, Names::kNone, begin, begin};
    }
    if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
      continue;
    }
    break;
  }
  uint8_t kind = classOf(text_[at_]);
  if (kind & kIdent) {
    const uint32_t begin = at_;
    at_ = afterWord(begin);
    std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ < end_ && (text_[at_] == '"' || text_[at_] == '\'') && word.size() <= 2) return string(begin, word);
    return {Tok::Name, Tok::Invalid, names_->intern(word), begin, at_};
  }
  if ((kind & kDigit) || (text_[at_] == '.' && (classOf(peek(1)) & kDigit))) return number();
  if (text_[at_] == '"' || text_[at_] == '\'') return string(at_, {});
  return punctuation();
}

Token Lexer::number() {
  uint32_t begin = at_;
  bool isFloat = false;
  if (text_[at_] == '0' && (peek(1) | 0x20) != 'e' && (classOf(peek(1)) & kIdent)) {  // 0x, 0o, 0b
    at_ = afterWord(at_ + 2);
  } else {
    auto digits = [&] {
      while (at_ < end_ && ((classOf(text_[at_]) & kDigit) || text_[at_] == '_')) ++at_;
    };
    digits();
    if (peek() == '.') {
      isFloat = true;
      ++at_;
      digits();
    }
    if ((peek() | 0x20) == 'e') {
      uint32_t skip = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (classOf(peek(skip)) & kDigit) {
        isFloat = true;
        at_ += skip;
        digits();
      }
    }
  }
  Token token = make(isFloat ? Tok::Float : Tok::Int, begin);
  if (at_ < end_ && (classOf(text_[at_]) & kIdent)) {
    at_ = afterWord(at_);
    error(begin, at_, "script.number", "this is not a number");
  }
  return token;
}

Token Lexer::string(uint32_t begin, std::string_view prefix) {
  bool formatted = false;
  for (char c : prefix) {
    char lower = static_cast<char>(c | 0x20);
    formatted |= lower == 'f' || lower == 't';
    if (lower != 'r' && lower != 'b' && lower != 'u' && lower != 'f' && lower != 't') {
      error(begin, at_, "script.syntax", "a text can not follow a name directly");
    }
  }
  const bool triple = tripleQuote(text_, at_, end_);
  bool closed = false;
  at_ = afterLiteral(text_, at_, end_, &closed);
  if (!closed)
    error(begin, at_, "script.string", "this text has no closing quote",
          triple ? "close it with three quotes" : "close it");
  return make(formatted ? Tok::FString : Tok::String, begin);
}

Token Lexer::punctuation() {
  const uint32_t begin = at_;
  const uint8_t c = static_cast<uint8_t>(text_[at_]);
  if (c < 128) {
    for (int8_t row : kPunctuationIndex.rows[c]) {
      if (row < 0) break;
      const Punctuation& p = kPunctuation[row];
      if (text_.compare(at_, p.text.size(), p.text) != 0 || at_ + p.text.size() > end_) continue;
      at_ += static_cast<uint32_t>(p.text.size());
      if (p.kind == Tok::LParen || p.kind == Tok::LBracket || p.kind == Tok::LBrace) {
        if (depth_++ == 0) open_ = begin;
      }
      if ((p.kind == Tok::RParen || p.kind == Tok::RBracket || p.kind == Tok::RBrace) && depth_ > (lines_ ? 0 : 1)) {
        --depth_;
      }
      return {p.kind, p.op, Names::kNone, begin, at_};
    }
  }
  ++at_;
  while (at_ < end_ && (static_cast<uint8_t>(text_[at_]) & 0xC0) == 0x80) ++at_;
  error(begin, at_, "script.character", "this character means nothing here");
  return make(Tok::Invalid, begin);
}

void Lexer::skipLine() {
  depth_ = 0;
  while (!atLineStart_ && !finished_) {
    // A bracket that was opened on this line may close on a later one: brackets count as usual.
    Token token = next();
    if (token.kind == Tok::Newline || token.kind == Tok::End) break;
  }
}

void Lexer::skipBlock() {
  // Only what decides where lines and blocks end is looked at; what else is wrong is found when the body is read.
  const uint32_t base = indent();
  while (at_ < end_) {
    uint32_t column = 0, at = at_;
    for (; at < end_ && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\f'); ++at)
      column = nextColumn(column, text_[at]);
    const bool blank = at < end_ && (text_[at] == '#' || text_[at] == '\n' || text_[at] == '\r');
    if (!blank && column <= base) return;
    at_ = afterLogicalLine(text_, at, end_);
  }
}

}  // namespace rx::script
