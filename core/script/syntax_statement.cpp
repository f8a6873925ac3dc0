// Statements of the syntax tree: one at a time, with their blocks.
#include "core/script/parse.h"
#include "core/script/syntax.h"

namespace rx::script {

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
  begin(out);
  if (headDone_ && !openBody(out)) return;
  if (pendingEnd_) {
    pendingEnd_ = false;
    out.begin = out.end = lastEnd_;
    out.kind = StmtKind::BlockEnd;
    return;
  }
  while (token_.kind == Tok::Newline) advance();
  out.begin = out.end = token_.begin;
  if (token_.kind == Tok::End) return;
  if (token_.kind == Tok::Dedent) {
    out.kind = StmtKind::BlockEnd;
    advance();
    return;
  }
  if (token_.kind == Tok::Indent) {
    error(token_, "this line is indented although no block begins here", "indent it as the line before");
  } else {
    decorated(out);
  }
  if (failed_) {
    const bool wasInLine = inLine_;
    headDone_ = false;
    recover();
    pendingEnd_ = wasInLine;
    out.kind = StmtKind::Error;
    out.end = std::max(out.begin, lastEnd_);
  }
}

/// Empties the arena and the statement.
void Syntax::begin(Statement& out) {
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
}

/// Enters the body of the compound statement just read; false where there is none: then `out` ends it.
bool Syntax::openBody(Statement& out) {
  headDone_ = false;
  if (token_.kind != Tok::Newline) return inLine_ = true;
  advance();
  if (token_.kind == Tok::Indent) {
    advance();
    return true;
  }
  error(token_, "expected an indented block");
  diagnostics();
  out.begin = out.end = token_.begin;
  out.kind = StmtKind::BlockEnd;
  return false;
}

/// A statement with what decorates it, up to the end of its line or of its head.
void Syntax::decorated(Statement& out) {
  const bool wasInLine = inLine_;
  bool lost = false;
  while (token_.kind == Tok::At) {
    advance();
    out.decorators.push_back(test());
    if (!failed_) expect(Tok::Newline, "the end of the line after a decorator");
    if (failed_) {  // what it decorates is passed over
      lost = true;
      failed_ = false;
      recover();
    }
    while (token_.kind == Tok::Newline) advance();
  }
  const Token first = token_;
  compound(out);
  if (!failed_ && !out.decorators.empty() && out.kind != StmtKind::Def && out.kind != StmtKind::Class)
    error(first, "a function or a class is expected after a decorator");
  failed_ = failed_ || lost;
  out.end = lastEnd_;
  if (!failed_ && !headDone_) endOfStatement(wasInLine);
}

/// A semicolon or the end of the line; the latter also ends a body that stands in the line of its head.
void Syntax::endOfStatement(bool wasInLine) {
  const bool semicolon = token_.kind == Tok::Semicolon;
  if (semicolon) advance();
  const bool ends = token_.kind == Tok::Newline || (!semicolon && token_.kind == Tok::End);
  if (ends) {
    advance();
    pendingEnd_ = wasInLine;
    inLine_ = false;
  } else if (!semicolon) {
    error(token_, "this does not continue the statement");
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
      if (const uint32_t open = token_.begin; accept(Tok::LParen)) {
        callArguments(scratch_, open);
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
      if (targets.empty()) error(token_, "expected a name behind 'for'");
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

}  // namespace rx::script
