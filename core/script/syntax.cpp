#include "core/script/syntax.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/script/parse.h"

namespace rx::script {

Syntax::Syntax(std::string_view text, uint32_t begin, uint32_t end, uint32_t file, Names& names)
    : text_(text), file_(file), names_(&names), lexer_(text, begin, end, file, names) {
  nodes_.resize(1);
  advance();
}

std::vector<Diagnostic>& Syntax::diagnostics() {
  for (Diagnostic& d : lexer_.diagnostics()) diagnostics_.push_back(std::move(d));
  lexer_.diagnostics().clear();
  return diagnostics_;
}

void Syntax::advance() {
  lastEnd_ = token_.end;
  token_ = lexer_.next();
  if (!lexer_.diagnostics().empty()) failed_ = true;
}
bool Syntax::accept(Tok kind) {
  if (token_.kind != kind) return false;
  advance();
  return true;
}
bool Syntax::accept(Keyword keyword) {
  if (!token_.is(keyword)) return false;
  advance();
  return true;
}
bool Syntax::expect(Tok kind, const char* what) {
  if (accept(kind)) return true;
  error(token_, std::string("expected ") + what);
  return false;
}
void Syntax::error(const Token& token, std::string message, std::string fix) {
  if (!failed_) {
    uint32_t end =
        token.end > token.begin ? token.end : std::min<uint32_t>(token.begin + 1, static_cast<uint32_t>(text_.size()));
    if (token.kind == Tok::End || token.kind == Tok::Newline) message += " before the end of the line";
    Diagnostic d = errorAt({token.begin, end, file_}, "script.syntax", std::move(message));
    d.fix = std::move(fix);
    diagnostics_.push_back(std::move(d));
  }
  failed_ = true;
}
/// Counts one level of real nesting; the caller takes it back.
bool Syntax::nest() {
  if (depth_ >= kMaxNesting + 24) {
    if (!failed_) {
      diagnostics_.push_back(
          errorAt({token_.begin, std::min<uint32_t>(token_.begin + 1, static_cast<uint32_t>(text_.size())), file_},
                  "script.nesting", "expressions nest deeper than " + std::to_string(kMaxNesting) + " levels here"));
    }
    failed_ = true;
    return false;
  }
  ++depth_;
  return true;
}

NodeId Syntax::add(Syn kind, uint32_t begin, uint32_t end, uint32_t a, uint32_t b, uint32_t c) {
  SynNode node;
  node.kind = kind;
  node.begin = begin;
  node.end = end;
  node.a = a;
  node.b = b;
  node.c = c;
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}
NodeId Syntax::addList(Syn kind, uint32_t begin, uint32_t end, uint32_t a, std::span<const NodeId> kids) {
  uint32_t first = static_cast<uint32_t>(kids_.size());
  kids_.insert(kids_.end(), kids.begin(), kids.end());
  return add(kind, begin, end, a, static_cast<uint32_t>(kids.size()), first);
}
NodeId Syntax::python(uint32_t begin, std::string_view what) {
  return add(Syn::Python, begin, lastEnd_, names_->intern(what));
}

NodeId Syntax::expressionIn(uint32_t begin, uint32_t end) {
  Lexer saved = std::move(lexer_);
  Token token = token_;
  bool failed = failed_;
  uint32_t lastEnd = lastEnd_;
  failed_ = false;
  lexer_ = Lexer::expression(text_, begin, end, file_, *names_);
  advance();
  NodeId result = expressionList();
  if (!failed_ && token_.kind != Tok::End) error(token_, "this does not continue the expression");
  if (failed_) result = kNoNode;
  for (Diagnostic& d : lexer_.diagnostics()) diagnostics_.push_back(std::move(d));
  lexer_ = std::move(saved);
  token_ = token;
  failed_ = failed;
  lastEnd_ = lastEnd;
  return result;
}

bool Syntax::intValue(NodeId id, uint64_t& value) const {
  std::string digits;
  for (char c : textOf(id)) {
    if (c != '_') digits += c;
  }
  int base = 10;
  size_t skip = 0;
  if (digits.size() > 2 && digits[0] == '0') {
    char kind = static_cast<char>(digits[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    skip = base == 10 ? 0 : 2;
  }
  auto [end, status] = std::from_chars(digits.data() + skip, digits.data() + digits.size(), value, base);
  return status == std::errc() && end == digits.data() + digits.size();
}
double Syntax::floatValue(NodeId id) const {
  std::string digits;
  for (char c : textOf(id)) {
    if (c != '_') digits += c;
  }
  double value = 0;
  auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status == std::errc::result_out_of_range) value = std::strtod(digits.c_str(), nullptr);
  return value;
}
std::string Syntax::textValue(NodeId id) const {
  const SynNode& n = nodes_[id];
  if (n.b == 0) return decodeString(textOf(id));
  std::string out;
  for (NodeId piece : kids(n)) out += decodeString(textOf(piece));
  return out;
}
bool Syntax::plainText(NodeId id, std::string_view& value) const {
  const SynNode& n = nodes_[id];
  if (n.b != 0) return false;
  std::string_view literal = textOf(id);
  if (literal.size() < 2 || (literal[0] != '"' && literal[0] != '\'')) return false;
  size_t quotes = literal.size() >= 6 && literal[0] == literal[1] && literal[1] == literal[2] ? 3 : 1;
  if (literal.size() < 2 * quotes) return false;
  value = literal.substr(quotes, literal.size() - 2 * quotes);
  return value.find_first_of("\\\r") == std::string_view::npos;
}

}  // namespace rx::script
