#include "core/script/syntax.h"

#include <charconv>
#include <cstdlib>

#include "core/script/parse.h"

namespace rx::script {

namespace {
/// Binary operators by binding strength, weakest first.
constexpr int kBinaryLevels = 6;
int levelOf(Tok op) {
  switch (op) {
    case Tok::Pipe:
      return 0;
    case Tok::Caret:
      return 1;
    case Tok::Amp:
      return 2;
    case Tok::LShift:
    case Tok::RShift:
      return 3;
    case Tok::Plus:
    case Tok::Minus:
      return 4;
    case Tok::Star:
    case Tok::Slash:
    case Tok::DoubleSlash:
    case Tok::Percent:
    case Tok::At:
      return 5;
    default:
      return -1;
  }
}
}  // namespace

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
    uint32_t end = token.end > token.begin ? token.end : token.begin + 1;
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
      diagnostics_.push_back(errorAt({token_.begin, token_.begin + 1, file_}, "script.nesting",
                                     "expressions nest deeper than " + std::to_string(kMaxNesting) + " levels here"));
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

// Statements ----------------------------------------------------------------------------------------------------------

void Syntax::recover() {
  if (!lexer_.diagnostics().empty()) diagnostics();
  if (token_.kind != Tok::Newline && token_.kind != Tok::End && token_.kind != Tok::Indent &&
      token_.kind != Tok::Dedent) {
    lexer_.skipLine();
    token_ = lexer_.next();
  } else if (token_.kind == Tok::Newline) {
    advance();
  }
  if (token_.kind == Tok::Indent) {  // the body of what could not be read
    uint32_t depth = 1;
    while (depth > 0 && token_.kind != Tok::End) {
      advance();
      if (token_.kind == Tok::Indent) ++depth;
      if (token_.kind == Tok::Dedent) --depth;
    }
    if (token_.kind == Tok::Dedent) advance();
  }
  inLine_ = false;
  if (!lexer_.diagnostics().empty()) diagnostics();
}

void Syntax::next(Statement& out) {
  nodes_.resize(1);
  kids_.clear();
  failed_ = false;
  depth_ = 0;
  out.kind = StmtKind::End;
  out.op = Tok::Invalid;
  out.name = Names::kNone;
  out.a = out.b = out.c = kNoNode;
  out.decorators.clear();
  out.params.clear();
  out.items.clear();
  if (headDone_) {
    headDone_ = false;
    if (token_.kind == Tok::Newline) {
      advance();
      if (token_.kind == Tok::Indent) {
        advance();
      } else {
        error(token_, "expected an indented block");
        diagnostics();
        out.begin = token_.begin;
        out.end = token_.begin;
        out.kind = StmtKind::BlockEnd;
        return;
      }
    } else {
      inLine_ = true;
    }
  }
  if (pendingEnd_) {
    pendingEnd_ = false;
    out.begin = out.end = lastEnd_;
    out.kind = StmtKind::BlockEnd;
    return;
  }
  while (token_.kind == Tok::Newline) advance();
  out.begin = token_.begin;
  if (token_.kind == Tok::Dedent) {
    out.end = token_.begin;
    out.kind = StmtKind::BlockEnd;
    advance();
    return;
  }
  if (token_.kind == Tok::End) {
    out.end = token_.begin;
    return;
  }
  if (token_.kind == Tok::Indent) {
    error(token_, "this line is indented although no block begins here", "indent it as the line before");
  } else {
    bool wasInLine = inLine_;
    while (token_.kind == Tok::At && !failed_) {
      advance();
      out.decorators.push_back(test());
      if (!failed_) expect(Tok::Newline, "the end of the line after a decorator");
      while (token_.kind == Tok::Newline) advance();
    }
    compound(out);
    out.end = lastEnd_;
    if (!failed_ && !headDone_) {
      if (token_.kind == Tok::Semicolon) {
        advance();
        if (token_.kind == Tok::Newline) advance(), pendingEnd_ = wasInLine, inLine_ = false;
      } else if (token_.kind == Tok::Newline || token_.kind == Tok::End) {
        advance();
        pendingEnd_ = wasInLine;
        inLine_ = false;
      } else {
        error(token_, "this does not continue the statement");
      }
    }
  }
  if (failed_) {
    bool wasInLine = inLine_;
    headDone_ = false;
    recover();
    pendingEnd_ = wasInLine;
    out.kind = StmtKind::Error;
    out.end = std::max(out.begin, lastEnd_);
  }
}

void Syntax::skipBody() {
  if (!headDone_) return;
  headDone_ = false;
  if (token_.kind != Tok::Newline) {
    while (token_.kind != Tok::Newline && token_.kind != Tok::End) advance();
    advance();
    return;
  }
  lexer_.skipBlock();
  advance();
}

bool Syntax::atElse() {
  if (pendingEnd_) return false;
  return token_.is(Keyword::kElif) || token_.is(Keyword::kElse);
}

void Syntax::blockHead(Statement& out) {
  if (!expect(Tok::Colon, "':'")) return;
  out.end = lastEnd_;
  bodyBegin_ = token_.begin;
  headDone_ = true;
}

void Syntax::compound(Statement& out) {
  if (token_.kind != Tok::Name || token_.name >= static_cast<NameId>(Keyword::kCount)) return simple(out);
  switch (static_cast<Keyword>(token_.name)) {
    case Keyword::kDef:
      return def(out);
    case Keyword::kClass:
      advance();
      out.kind = StmtKind::Class;
      out.name = token_.name;
      expect(Tok::Name, "the name of the class");
      if (accept(Tok::LParen)) {
        callArguments(scratch_);
        scratch_.clear();
      }
      return blockHead(out);
    case Keyword::kIf:
    case Keyword::kElif:
    case Keyword::kWhile:
      out.kind = token_.is(Keyword::kIf) ? StmtKind::If : token_.is(Keyword::kElif) ? StmtKind::Elif : StmtKind::While;
      advance();
      out.a = test();
      return blockHead(out);
    case Keyword::kElse:
      advance();
      out.kind = StmtKind::Else;
      return blockHead(out);
    case Keyword::kFor: {
      advance();
      out.kind = StmtKind::For;
      uint32_t begin = token_.begin;
      std::vector<NodeId> targets;
      bool comma = false;
      do {
        if (token_.is(Keyword::kIn)) break;
        targets.push_back(postfix());
        comma = token_.kind == Tok::Comma || targets.size() > 1;
      } while (!failed_ && accept(Tok::Comma));
      out.a = targets.size() == 1 && !comma ? targets[0] : addList(Syn::Tuple, begin, lastEnd_, 0, targets);
      if (!accept(Keyword::kIn)) error(token_, "expected 'in'");
      out.b = expressionList();
      return blockHead(out);
    }
    case Keyword::kWith:
      return with(out);
    case Keyword::kTry:
    case Keyword::kExcept:
    case Keyword::kFinally:
    case Keyword::kAsync:
      out.kind = StmtKind::Other;
      out.name = token_.name;
      while (token_.kind != Tok::Colon && token_.kind != Tok::Newline && token_.kind != Tok::End) advance();
      return blockHead(out);
    default:
      return simple(out);
  }
}

void Syntax::simple(Statement& out) {
  auto rest = [&] {
    while (token_.kind != Tok::Newline && token_.kind != Tok::End && token_.kind != Tok::Semicolon) advance();
  };
  if (token_.kind == Tok::Name && token_.name < static_cast<NameId>(Keyword::kCount)) {
    auto one = [&](StmtKind kind) {
      advance();
      out.kind = kind;
    };
    switch (static_cast<Keyword>(token_.name)) {
      case Keyword::kPass:
        return one(StmtKind::Pass);
      case Keyword::kBreak:
        return one(StmtKind::Break);
      case Keyword::kContinue:
        return one(StmtKind::Continue);
      case Keyword::kReturn:
        one(StmtKind::Return);
        if (token_.kind != Tok::Newline && token_.kind != Tok::End && token_.kind != Tok::Semicolon) {
          out.a = expressionList();
        }
        return;
      case Keyword::kAssert:
        one(StmtKind::Assert);
        out.a = test();
        if (!failed_ && accept(Tok::Comma)) out.b = test();
        return;
      case Keyword::kImport:
      case Keyword::kFrom:
        out.kind = StmtKind::Import;
        return rest();
      case Keyword::kRaise:
      case Keyword::kDel:
      case Keyword::kGlobal:
      case Keyword::kNonlocal:
      case Keyword::kYield:
        out.kind = StmtKind::Other;
        out.name = token_.name;
        return rest();
      default:
        break;
    }
  }
  NodeId first = expressionList();
  if (failed_) return;
  if (token_.kind == Tok::AugAssign) {
    out.kind = StmtKind::AugAssign;
    out.op = token_.op;
    advance();
    out.a = first;
    out.b = expressionList();
    return;
  }
  if (accept(Tok::Colon)) {
    out.kind = StmtKind::AnnAssign;
    out.a = first;
    out.b = test();
    if (!failed_ && accept(Tok::Assign)) out.c = expressionList();
    return;
  }
  if (token_.kind != Tok::Assign) {
    out.kind = StmtKind::Expr;
    out.a = first;
    return;
  }
  out.kind = StmtKind::Assign;
  NodeId value = first;
  while (!failed_ && accept(Tok::Assign)) {
    out.items.push_back(value);
    value = expressionList();
  }
  out.b = value;
}

void Syntax::def(Statement& out) {
  advance();
  out.kind = StmtKind::Def;
  out.name = token_.name;
  if (!expect(Tok::Name, "the name of the function") || !expect(Tok::LParen, "'('")) return;
  while (!failed_ && token_.kind != Tok::RParen) {
    Param param;
    param.begin = token_.begin;
    if (accept(Tok::Star) || accept(Tok::DoubleStar)) param.star = true;
    if (accept(Tok::Slash)) {
      if (!accept(Tok::Comma)) break;
      continue;
    }
    param.name = token_.name;
    if (param.star && token_.kind != Tok::Name) {
      if (!accept(Tok::Comma)) break;
      continue;
    }
    if (!expect(Tok::Name, "the name of a parameter")) return;
    param.end = lastEnd_;
    if (accept(Tok::Colon)) param.annotation = test();
    if (!failed_ && accept(Tok::Assign)) param.fallback = test();
    out.params.push_back(param);
    if (!accept(Tok::Comma)) break;
  }
  if (failed_ || !expect(Tok::RParen, "')' or ','")) return;
  if (accept(Tok::Arrow)) out.a = test();
  if (!failed_) blockHead(out);
}

void Syntax::with(Statement& out) {
  advance();
  out.kind = StmtKind::With;
  // `with (a as b, c as d):` has a bracket around its items, `with (a):` one around its expression.
  bool bracket = false;
  if (token_.kind == Tok::LParen) {
    Lexer ahead = lexer_;
    uint32_t depth = 1;
    bool as = false;
    Token token;
    while (depth > 0 && (token = ahead.next()).kind != Tok::End && token.kind != Tok::Newline) {
      if (token.kind == Tok::LParen || token.kind == Tok::LBracket || token.kind == Tok::LBrace) ++depth;
      if (token.kind == Tok::RParen || token.kind == Tok::RBracket || token.kind == Tok::RBrace) --depth;
      as |= depth == 1 && token.is(Keyword::kAs);
    }
    bracket = as && ahead.next().kind == Tok::Colon;
    if (bracket) advance();
  }
  do {
    if (bracket && token_.kind == Tok::RParen) break;
    out.items.push_back(test());
    NodeId target = kNoNode;
    if (!failed_ && accept(Keyword::kAs)) target = postfix();
    out.items.push_back(target);
  } while (!failed_ && accept(Tok::Comma));
  if (bracket) expect(Tok::RParen, "')'");
  if (!failed_) blockHead(out);
}

// Expressions ---------------------------------------------------------------------------------------------------------

NodeId Syntax::expressionList() {
  uint32_t begin = token_.begin;
  auto item = [&]() -> NodeId {
    if (token_.kind != Tok::Star) return test();
    uint32_t at = token_.begin;
    advance();
    NodeId value = binary(0);
    return add(Syn::Star, at, lastEnd_, value);
  };
  NodeId first = item();
  if (failed_ || token_.kind != Tok::Comma) return first;
  size_t mark = scratch_.size();
  scratch_.push_back(first);
  while (!failed_ && accept(Tok::Comma)) {
    if (token_.kind == Tok::Newline || token_.kind == Tok::End || token_.kind == Tok::Assign ||
        token_.kind == Tok::RParen || token_.kind == Tok::Colon || token_.kind == Tok::RBracket) {
      break;
    }
    scratch_.push_back(item());
  }
  NodeId tuple = addList(Syn::Tuple, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  scratch_.resize(mark);
  return tuple;
}

NodeId Syntax::test() {
  if (!nest()) return kNoNode;
  NodeId result;
  if (token_.is(Keyword::kLambda)) {
    result = lambda();
  } else {
    uint32_t begin = token_.begin;
    result = orTest();
    if (!failed_ && token_.is(Keyword::kIf)) {
      advance();
      NodeId condition = orTest();
      NodeId otherwise = kNoNode;
      if (!failed_ && !accept(Keyword::kElse)) error(token_, "expected 'else'");
      if (!failed_) otherwise = test();
      result = add(Syn::IfExp, begin, lastEnd_, result, condition, otherwise);
    } else if (!failed_ && token_.kind == Tok::Walrus) {
      advance();
      test();
      result = python(begin, "an assignment inside an expression");
    }
  }
  --depth_;
  return result;
}

NodeId Syntax::lambda() {
  uint32_t begin = token_.begin;
  advance();
  std::vector<NodeId> kids;
  bool plain = true;
  while (!failed_ && token_.kind != Tok::Colon) {
    uint32_t at = token_.begin;
    bool star = accept(Tok::Star) || accept(Tok::DoubleStar);
    NameId name = token_.name;
    if (!expect(Tok::Name, "the name of a parameter")) return kNoNode;
    NodeId param = add(Syn::Name, at, lastEnd_, name);
    if (star) param = add(Syn::Star, at, lastEnd_, param);
    kids.push_back(param);
    if (accept(Tok::Assign)) plain = false, test();
    if (!accept(Tok::Comma)) break;
  }
  if (failed_ || !expect(Tok::Colon, "':'")) return kNoNode;
  kids.push_back(test());
  if (!plain) return python(begin, "a default value of a lambda");
  return addList(Syn::Lambda, begin, lastEnd_, 0, kids);
}

NodeId Syntax::orTest() {
  uint32_t begin = token_.begin;
  NodeId first = andTest();
  if (failed_ || !token_.is(Keyword::kOr)) return first;
  size_t mark = scratch_.size();
  scratch_.push_back(first);
  while (!failed_ && accept(Keyword::kOr)) scratch_.push_back(andTest());
  NodeId result = addList(Syn::Or, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  scratch_.resize(mark);
  return result;
}

NodeId Syntax::andTest() {
  uint32_t begin = token_.begin;
  NodeId first = notTest();
  if (failed_ || !token_.is(Keyword::kAnd)) return first;
  size_t mark = scratch_.size();
  scratch_.push_back(first);
  while (!failed_ && accept(Keyword::kAnd)) scratch_.push_back(notTest());
  NodeId result = addList(Syn::And, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  scratch_.resize(mark);
  return result;
}

NodeId Syntax::notTest() {
  if (!token_.is(Keyword::kNot)) return comparison();
  uint32_t begin = token_.begin;
  if (!nest()) return kNoNode;
  advance();
  NodeId value = notTest();
  --depth_;
  return add(Syn::Not, begin, lastEnd_, value);
}

NodeId Syntax::comparison() {
  uint32_t begin = token_.begin;
  NodeId left = binary(0);
  size_t mark = scratch_.size();
  while (!failed_) {
    Tok op = token_.kind;
    if (token_.is(Keyword::kIn) || token_.is(Keyword::kIs) || token_.is(Keyword::kNot)) {
      bool isNot = token_.is(Keyword::kNot);
      advance();
      if (isNot || token_.is(Keyword::kNot)) advance();
      binary(0);
      left = python(begin, "'in' or 'is'");
      continue;
    }
    if (op < Tok::Lt || op > Tok::NotEq) break;
    advance();
    NodeId right = binary(0);
    NodeId pair = add(Syn::Compare, begin, lastEnd_, left, right);
    nodes_[pair].op = op;
    scratch_.push_back(pair);
    left = right;
  }
  size_t count = scratch_.size() - mark;
  if (count == 1) left = scratch_[mark];
  if (count > 1) left = addList(Syn::And, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  scratch_.resize(mark);
  return left;
}

NodeId Syntax::binary(int level) {
  // Operators of one expression are climbed with an explicit stack of at most kBinaryLevels pending operators.
  struct Pending {
    NodeId left;
    Tok op;
    int level;
  };
  Pending stack[kBinaryLevels + 1];
  int top = 0;
  NodeId left = unary();
  while (!failed_) {
    int next = levelOf(token_.kind);
    while (top > 0 && stack[top - 1].level >= next) {
      --top;
      NodeId pair = add(Syn::Binary, nodes_[stack[top].left].begin, nodes_[left].end, stack[top].left, left);
      nodes_[pair].op = stack[top].op;
      left = pair;
    }
    if (next < level) break;
    stack[top++] = {left, token_.kind, next};
    advance();
    left = unary();
  }
  return left;
}

NodeId Syntax::unary() {
  if (token_.kind != Tok::Minus && token_.kind != Tok::Plus && token_.kind != Tok::Tilde) return power();
  uint32_t begin = token_.begin;
  Tok op = token_.kind;
  if (!nest()) return kNoNode;
  advance();
  NodeId value = unary();
  --depth_;
  NodeId result = add(Syn::Unary, begin, lastEnd_, value);
  nodes_[result].op = op;
  return result;
}

NodeId Syntax::power() {
  uint32_t begin = token_.begin;
  NodeId base = postfix();
  if (failed_ || token_.kind != Tok::DoubleStar) return base;
  if (!nest()) return kNoNode;
  advance();
  NodeId exponent = unary();
  --depth_;
  NodeId result = add(Syn::Binary, begin, lastEnd_, base, exponent);
  nodes_[result].op = Tok::DoubleStar;
  return result;
}

NodeId Syntax::postfix() {
  if (token_.is(Keyword::kAwait)) {
    uint32_t begin = token_.begin;
    advance();
    return python(begin, "await");
  }
  uint32_t begin = token_.begin;
  NodeId value = atom();
  uint32_t chain = 0;
  while (!failed_) {
    if (token_.kind != Tok::Dot && token_.kind != Tok::LParen && token_.kind != Tok::LBracket) break;
    if (++chain > 4 && !nest()) return kNoNode;
    if (accept(Tok::Dot)) {
      NameId name = token_.name;
      if (!expect(Tok::Name, "a name after '.'")) break;
      value = add(Syn::Attr, begin, lastEnd_, value, name);
      continue;
    }
    size_t mark = scratch_.size();
    bool call = token_.kind == Tok::LParen;
    advance();
    bool comma = false;
    if (call) {
      callArguments(scratch_);
    } else {
      while (!failed_ && token_.kind != Tok::RBracket) {
        scratch_.push_back(subscriptItem());
        if (!accept(Tok::Comma)) break;
        comma = true;
      }
      if (!failed_) expect(Tok::RBracket, "']' or ','");
    }
    value = addList(call ? Syn::Call : Syn::Index, begin, lastEnd_, value, std::span(scratch_).subspan(mark));
    nodes_[value].wide = comma;
    scratch_.resize(mark);
  }
  if (chain > 4) depth_ -= std::min(depth_, chain - 4);
  return value;
}

void Syntax::callArguments(std::vector<NodeId>& args) {
  while (!failed_ && token_.kind != Tok::RParen) {
    args.push_back(argument());
    if (!accept(Tok::Comma)) break;
  }
  if (!failed_) expect(Tok::RParen, "')' or ','");
}

NodeId Syntax::argument() {
  uint32_t begin = token_.begin;
  if (token_.kind == Tok::Star || token_.kind == Tok::DoubleStar) {
    Syn kind = token_.kind == Tok::Star ? Syn::Star : Syn::DoubleStar;
    advance();
    NodeId value = test();
    return add(kind, begin, lastEnd_, value);
  }
  NodeId value = test();
  if (failed_) return value;
  if (token_.kind == Tok::Assign && nodes_[value].kind == Syn::Name) {
    NameId name = nodes_[value].a;
    advance();
    NodeId given = test();
    return add(Syn::Keyword, begin, lastEnd_, given, name);
  }
  if (token_.is(Keyword::kFor)) return comprehension(value, begin);
  return value;
}

NodeId Syntax::subscriptItem() {
  uint32_t begin = token_.begin;
  NodeId parts[3] = {kNoNode, kNoNode, kNoNode};
  if (token_.kind == Tok::Star) {
    advance();
    NodeId value = test();
    return add(Syn::Star, begin, lastEnd_, value);
  }
  if (token_.kind != Tok::Colon) {
    parts[0] = test();
    if (failed_ || token_.kind != Tok::Colon) return parts[0];
  }
  for (int i = 1; i < 3 && !failed_ && accept(Tok::Colon); ++i) {
    if (token_.kind != Tok::Colon && token_.kind != Tok::Comma && token_.kind != Tok::RBracket) parts[i] = test();
  }
  return add(Syn::Slice, begin, lastEnd_, parts[0], parts[1], parts[2]);
}

/// Reads over `for ... in ... if ...` after the first expression, up to the closing bracket.
NodeId Syntax::comprehension(NodeId, uint32_t begin) {
  while (!failed_ && (token_.is(Keyword::kFor) || token_.is(Keyword::kIf) || token_.is(Keyword::kAsync))) {
    if (accept(Keyword::kIf)) {
      orTest();
      continue;
    }
    accept(Keyword::kAsync);
    advance();
    while (!failed_ && !token_.is(Keyword::kIn)) {
      postfix();
      if (!accept(Tok::Comma)) break;
    }
    if (!failed_ && !accept(Keyword::kIn)) error(token_, "expected 'in'");
    if (!failed_) orTest();
  }
  return python(begin, "a comprehension");
}

NodeId Syntax::atom() {
  uint32_t begin = token_.begin;
  switch (token_.kind) {
    case Tok::Name: {
      NameId name = token_.name;
      if (name < static_cast<NameId>(Keyword::kCount)) {
        Syn kind = Syn::None;
        if (token_.is(Keyword::kTrue)) kind = Syn::True;
        if (token_.is(Keyword::kFalse)) kind = Syn::False;
        if (token_.is(Keyword::kNone)) kind = Syn::NoneLit;
        if (kind == Syn::None) break;
        advance();
        return add(kind, begin, lastEnd_);
      }
      advance();
      return add(Syn::Name, begin, lastEnd_, name);
    }
    case Tok::Int:
    case Tok::Float: {
      Syn kind = token_.kind == Tok::Int ? Syn::Int : Syn::Float;
      advance();
      return add(kind, begin, lastEnd_);
    }
    case Tok::Ellipsis:
      advance();
      return add(Syn::Ellipsis, begin, lastEnd_);
    case Tok::String:
    case Tok::FString:
      return textAtom();
    case Tok::LParen:
    case Tok::LBracket:
      return bracketed(token_.kind);
    case Tok::LBrace:
      return dictOrSet();
    default:
      break;
  }
  error(token_, "expected an expression");
  return kNoNode;
}

NodeId Syntax::textAtom() {
  uint32_t begin = token_.begin;
  size_t mark = scratch_.size();
  bool formatted = false;
  while (token_.kind == Tok::String || token_.kind == Tok::FString) {
    formatted |= token_.kind == Tok::FString;
    scratch_.push_back(add(Syn::Text, token_.begin, token_.end));
    advance();
  }
  NodeId result = scratch_[mark];
  if (scratch_.size() - mark > 1) {
    result = addList(Syn::Text, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  }
  scratch_.resize(mark);
  return formatted ? python(begin, "an f-string") : result;
}

NodeId Syntax::bracketed(Tok open) {
  uint32_t begin = token_.begin;
  Tok close = open == Tok::LParen ? Tok::RParen : Tok::RBracket;
  advance();
  size_t mark = scratch_.size();
  bool comma = false;
  while (!failed_ && token_.kind != close) {
    NodeId value = argument();
    if (failed_) break;
    if (nodes_[value].kind == Syn::Keyword) {
      error(token_, "expected ',' or a closing bracket");
      break;
    }
    scratch_.push_back(value);
    if (!accept(Tok::Comma)) break;
    comma = true;
  }
  if (!failed_ && !accept(close)) {
    error(token_, close == Tok::RParen ? "expected ')' or ','" : "expected ']' or ','");
  }
  NodeId result = kNoNode;
  if (!failed_) {
    if (open == Tok::LParen && !comma && scratch_.size() - mark == 1) {
      result = scratch_[mark];
    } else {
      result =
          addList(open == Tok::LParen ? Syn::Tuple : Syn::List, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
    }
  }
  scratch_.resize(mark);
  return result;
}

NodeId Syntax::dictOrSet() {
  uint32_t begin = token_.begin;
  advance();
  size_t mark = scratch_.size();
  bool other = false;
  while (!failed_ && token_.kind != Tok::RBrace) {
    if (accept(Tok::DoubleStar)) {
      other = true;
      test();
    } else {
      scratch_.push_back(test());
      if (failed_) break;
      if (accept(Tok::Colon)) {
        scratch_.push_back(test());
      } else {
        other = true;
      }
      if (!failed_ && token_.is(Keyword::kFor)) {
        comprehension(kNoNode, begin);
        other = true;
      }
    }
    if (!accept(Tok::Comma)) break;
  }
  if (!failed_) expect(Tok::RBrace, "'}' or ','");
  NodeId result = kNoNode;
  if (!failed_) {
    result = other ? python(begin, "a set or a computed dictionary")
                   : addList(Syn::Dict, begin, lastEnd_, 0, std::span(scratch_).subspan(mark));
  }
  scratch_.resize(mark);
  return result;
}

}  // namespace rx::script
