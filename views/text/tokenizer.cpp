#include "views/text/tokenizer.h"

#include <algorithm>
#include <array>

namespace rx {
namespace {

constexpr std::array<std::string_view, 29> kKeywords = {
    "False",  "None", "True", "and",    "as",    "assert", "break", "class",  "continue", "def",
    "del",    "elif", "else", "except", "for",   "from",   "if",    "import", "in",       "is",
    "lambda", "not",  "or",   "pass",   "raise", "return", "try",   "while",  "with",
};

// Words of languages whose variables begin with a percent sign: in a script they are names like others.
constexpr std::array<std::string_view, 3> kGraphKeywords = {"fn", "let", "match"};
constexpr std::array<std::string_view, 2> kDefinitions = {"extern", "type"};

// Names that only carry the call; the callee is what the reader looks for.
constexpr std::array<std::string_view, 10> kQuiet = {
    "call_dps_packed",  "call_inplace_packed", "call_packed", "call_pure_packed", "call_tir",
    "call_tir_inplace", "call_tir_with_grad",  "dataflow",    "func_attr",        "output",
};

bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

template <size_t N>
bool contains(const std::array<std::string_view, N>& sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

class LineScanner {
 public:
  LineScanner(std::string_view line, std::vector<Token>& tokens) : line_(line), tokens_(tokens) {}

  void run(bool inString) {
    if (inString) finishTriple(0);
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == '#') {
        push(at_, line_.size(), TokenKind::Comment);
      } else if (line_.substr(at_, 2) == "/*") {
        const size_t end = line_.find("*/", at_ + 2);
        push(at_, std::min(end, line_.size() - 2) + 2, TokenKind::Comment);
      } else if (c == '"' || c == '\'') {
        string(at_);
      } else if (isDigit(c)) {
        number();
      } else if (c == '@') {
        const size_t begin = at_++;
        dotted();
        push(begin, at_, TokenKind::Decorator);
      } else if (isAlpha(c)) {
        word();
      } else {
        ++at_;
      }
    }
  }

 private:
  void push(size_t begin, size_t end, TokenKind kind) {
    if (end > begin) tokens_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), kind});
    at_ = end;
  }

  void finishTriple(size_t begin) {
    const size_t close = line_.find("\"\"\"", at_);
    push(begin, close == std::string_view::npos ? line_.size() : close + 3, TokenKind::String);
  }

  void string(size_t begin) {
    const char quote = line_[at_];
    if (line_.substr(at_, 3) == "\"\"\"") {
      at_ += 3;
      return finishTriple(begin);
    }
    size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
    push(begin, std::min(end + 1, line_.size()), TokenKind::String);
  }

  void number() {
    const size_t begin = at_;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      const bool sign = (c == '-' || c == '+') && at_ > begin && (line_[at_ - 1] == 'e' || line_[at_ - 1] == 'E');
      if (!isDigit(c) && !isAlpha(c) && c != '.' && !sign) break;
      ++at_;
    }
    push(begin, at_, TokenKind::Number);
  }

  void dotted() {
    while (at_ < line_.size() && (isAlpha(line_[at_]) || isDigit(line_[at_]) || line_[at_] == '.')) ++at_;
  }

  void word() {
    const size_t begin = at_;
    dotted();
    const std::string_view whole = line_.substr(begin, at_ - begin);
    if (at_ < line_.size() && (line_[at_] == '"' || line_[at_] == '\'') && whole.size() <= 2) return string(begin);
    const size_t dot = whole.find('.');
    if (dot == std::string_view::npos) {
      if (contains(kKeywords, whole) || isGraphKeyword(begin, whole)) push(begin, at_, TokenKind::Keyword);
      if (begin >= 4 && line_.substr(begin - 4, 4) == "def ") push(begin, at_, TokenKind::Callee);
      return;
    }
    dottedWord(begin, whole, dot);
  }

  bool isGraphKeyword(size_t begin, std::string_view word) const {
    const std::string_view behind = line_.substr(begin + word.size(), 2);
    if (contains(kDefinitions, word)) return begin == 0 && behind.size() == 2 && behind[0] == ' ' && isAlpha(behind[1]);
    return contains(kGraphKeywords, word) && (behind == " %" || behind == " (" || behind == " [" || behind == "? ");
  }

  void dottedWord(size_t begin, std::string_view whole, size_t dot) {
    const std::string_view head = whole.substr(0, dot), tail = whole.substr(dot + 1);
    if (head == "cls" || head == "self") return push(begin + dot + 1, begin + whole.size(), TokenKind::Callee);
    const bool script = head == "R" || head == "T" || head == "I" || head == "relax" || head == "tir";
    if (!script || tail.empty()) return;
    const size_t last = tail.rfind('.');
    const char first = tail[last == std::string_view::npos || last + 1 == tail.size() ? 0 : last + 1];
    if (isUpper(first)) return push(begin, at_, TokenKind::Type);
    if (at_ < line_.size() && line_[at_] == '(' && !contains(kQuiet, tail)) push(begin, at_, TokenKind::Operator);
  }

  std::string_view line_;
  std::vector<Token>& tokens_;
  size_t at_ = 0;
};

}  // namespace

void tokenizeLine(std::string_view line, bool inString, std::vector<Token>& tokens) {
  tokens.clear();
  LineScanner(line, tokens).run(inString);
}

}  // namespace rx
