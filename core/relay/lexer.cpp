#include "core/relay/lexer.h"

#include <array>
#include <utility>

#include "core/script/names.h"

namespace rx::relay {

namespace {

using script::isIdentifierPart;
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return isIdentifierPart(c) && !isDigit(c); }

struct Punctuation {
  std::string_view text;
  Tok kind;
};
/// By the first character, longer ones first.
constexpr Punctuation kPunctuation[] = {
    {"->", Tok::Arrow},  {"-", Tok::Minus},    {"=>", Tok::FatArrow}, {"==", Tok::EqEq},  {"=", Tok::Assign},
    {"!=", Tok::NotEq},  {"<=", Tok::Le},      {"<", Tok::Lt},        {">=", Tok::Ge},    {">", Tok::Gt},
    {"&&", Tok::AndAnd}, {"||", Tok::OrOr},    {"(", Tok::LParen},    {")", Tok::RParen}, {"{", Tok::LBrace},
    {"}", Tok::RBrace},  {"[", Tok::LBracket}, {"]", Tok::RBracket},  {",", Tok::Comma},  {";", Tok::Semicolon},
    {":", Tok::Colon},   {".", Tok::Dot},      {"?", Tok::Question},  {"*", Tok::Star},   {"/", Tok::Slash},
    {"+", Tok::Plus},
};
/// Where the rows of a first character begin; the end of the table for what begins none.
constexpr auto kFirstRow = [] {
  std::array<uint8_t, 256> first{};
  first.fill(std::size(kPunctuation));
  for (size_t row = std::size(kPunctuation); row-- > 0;)
    first[static_cast<unsigned char>(kPunctuation[row].text[0])] = static_cast<uint8_t>(row);
  return first;
}();

class Cutter {
 public:
  Cutter(std::string_view text, Span part, std::vector<Diagnostic>& diagnostics)
      : text_(text.substr(0, part.end)), at_(part.begin), file_(part.file), diagnostics_(&diagnostics) {}

  Tokens run(size_t most = std::string_view::npos) {
    // A token is two characters or more, and metadata hardly any: what is not filled is never touched.
    constexpr size_t kMostAhead = size_t{1} << 22;
    out_.tokens.reserve(std::min({most, text_.size() / 2 + 1, kMostAhead}));
    while (skipBlanks(), at_ < text_.size() && out_.tokens.size() < most) token();
    if (out_.tokens.size() < most) add(Tok::End, at_);
    return std::move(out_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool startsWith(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void add(Tok kind, size_t begin) {
    out_.tokens.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)});
  }
  Span spanFrom(size_t begin) const { return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_), file_}; }
  void error(size_t begin, std::string rule, std::string message) {
    diagnostics_->push_back(errorAt(spanFrom(begin), std::move(rule), std::move(message)));
  }

  void skipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && peek(1) == '*') {
        if (atCommentedMetadata()) return;
        comment();
      } else {
        return;
      }
    }
  }

  /// The comment that metadata followed, an object of JSON, before it had a directive.
  bool atCommentedMetadata() const {
    if (!startsWith(kMetadataHeads[2])) return false;
    const size_t behind = text_.find_first_not_of(" \t\r\n", at_ + kMetadataHeads[2].size());
    return behind != std::string_view::npos && text_[behind] == '{';
  }

  void comment() {
    const size_t begin = at_;
    at_ += 2;
    for (size_t depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) return error(begin, "relay.comment", "the comment does not end");
      if (startsWith("/*")) {
        ++depth;
        ++at_;
      } else if (startsWith("*/")) {
        --depth;
        ++at_;
      }
    }
    constexpr std::string_view kType = "/* ty=";
    if (!text_.substr(begin).starts_with(kType)) return;
    const std::string_view inner = text_.substr(begin, at_ - 2 - begin);
    const size_t end = std::min(inner.rfind(" span="), inner.size());
    out_.types.emplace_back(out_.tokens.size(), Span{static_cast<uint32_t>(begin + kType.size()),
                                                     static_cast<uint32_t>(begin + end), file_});
  }

  void token() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (out_.tokens.empty() && oldVersion()) return add(Tok::Version, begin);
    if (c == '%' && isDigit(peek(1))) {
      ++at_;
      while (isDigit(peek())) ++at_;
      return add(Tok::Graph, begin);
    }
    if ((c == '%' || c == '@') && isLetter(peek(1))) {
      ++at_;
      longName();
      return add(c == '%' ? Tok::Local : Tok::Global, begin);
    }
    if (isLetter(c)) {
      if (startsWith(kMetadataHeads[1])) return metadata();
      word();
      return add(text_.substr(begin, at_ - begin) == "meta" && peek() == '[' ? Tok::Meta : Tok::Name, begin);
    }
    if (isDigit(c)) return number();
    if (c == '/' && atCommentedMetadata()) return metadata();
    if (c == '"') return string();
    if (c == '#') return directive();
    for (size_t i = kFirstRow[static_cast<unsigned char>(c)]; i < std::size(kPunctuation); ++i) {
      const Punctuation& row = kPunctuation[i];
      if (row.text[0] != c) break;
      if (row.text.size() == 2 && row.text[1] != peek(1)) continue;
      at_ += row.text.size();
      return add(row.kind, begin);
    }
    ++at_;
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) ++at_;
    error(begin, "relay.character", "'" + std::string(text_.substr(begin, at_ - begin)) + "' is no token of Relay");
  }

  /// A slash may stand inside a name, where another letter follows.
  void word() {
    while (isIdentifierPart(peek()) || (peek() == '/' && isIdentifierPart(peek(1)))) ++at_;
  }
  /// Names of variables, as front ends give them: aten::conv.weight, %x-malformed-ir.
  void longName() {
    constexpr std::string_view kMalformed = "-malformed-ir";
    while (true) {
      word();
      if (startsWith("::") && isIdentifierPart(peek(2))) {
        at_ += 2;
      } else if (peek() == '.' && isLetter(peek(1))) {
        ++at_;
      } else if (startsWith(kMalformed)) {
        at_ += kMalformed.size();
      } else {
        return;
      }
    }
  }

  /// Digits, a fraction, an exponent, a suffix of letters and digits: i64, f, f16. `%x.0.1` is no number.
  void number() {
    const size_t begin = at_;
    const bool projection = !out_.tokens.empty() && out_.tokens.back().kind == Tok::Dot;
    while (isDigit(peek())) ++at_;
    if (peek() == '.' && isDigit(peek(1)) && !projection) {
      ++at_;
      while (isDigit(peek())) ++at_;
    }
    if ((peek() == 'e' || peek() == 'E') && !projection) {
      const size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
      if (isDigit(peek(1 + sign))) {
        at_ += 1 + sign;
        while (isDigit(peek())) ++at_;
      }
    }
    if (!projection) {
      while (isIdentifierPart(peek())) ++at_;
    }
    add(Tok::Number, begin);
  }

  void string() {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' && peek(1) == '"' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      return error(begin, "relay.string", "the text does not end");
    }
    ++at_;
    add(Tok::String, begin);
  }

  void metadata() {
    const size_t begin = std::exchange(at_, text_.size());
    add(Tok::Metadata, begin);
  }

  /// v0.0.4 and those before it, as it stood in the first line before there were directives.
  bool oldVersion() {
    constexpr std::string_view kHead = "v0.0.";
    if (!startsWith(kHead) || !isDigit(peek(kHead.size()))) return false;
    at_ += kHead.size();
    while (isDigit(peek())) ++at_;
    return true;
  }

  void directive() {
    const size_t begin = at_;
    if (startsWith(kMetadataHeads[0])) return metadata();
    const size_t end = text_.find(']', at_);
    if (startsWith("#[version") && end != std::string_view::npos) {
      at_ = end + 1;
      return add(Tok::Version, begin);
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    error(begin, "relay.directive", "only #[version = \"0.0.5\"] and #[metadata] are known");
  }

  std::string_view text_;
  size_t at_;
  uint32_t file_;
  std::vector<Diagnostic>* diagnostics_;
  Tokens out_;
};

}  // namespace

Tokens tokenize(std::string_view text, uint32_t file, std::vector<Diagnostic>& diagnostics) {
  return tokenize(text, Span{0, static_cast<uint32_t>(text.size()), file}, diagnostics);
}

Tokens tokenize(std::string_view text, Span part, std::vector<Diagnostic>& diagnostics) {
  return Cutter(text, part, diagnostics).run();
}

std::vector<Token> firstTokens(std::string_view text, size_t count, std::vector<Diagnostic>& diagnostics) {
  return Cutter(text, Span{0, static_cast<uint32_t>(text.size()), 0}, diagnostics).run(count).tokens;
}

}  // namespace rx::relay
