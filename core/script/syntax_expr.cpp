// Expressions of the syntax tree, by binding strength. Chains are loops; only brackets nest.
#include <algorithm>

#include "core/script/parse.h"
#include "core/script/syntax.h"

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

bool Syntax::atLeaf() const {
  if (token_.kind != Tok::Name && token_.kind != Tok::Int && token_.kind != Tok::String) return false;
  if (token_.kind == Tok::Name && token_.name < static_cast<NameId>(Keyword::kCount)) return false;
  const char after = lexer_.following();
  return after == ',' || after == ')' || after == ']';
}

NodeId Syntax::test() {
  if (atLeaf()) return atom();
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
    const uint32_t open = token_.begin;
    advance();
    bool comma = false;
    if (call) {
      callArguments(scratch_, open);
    } else {
      while (!failed_ && token_.kind != Tok::RBracket) {
        scratch_.push_back(subscriptItem());
        if (!accept(Tok::Comma)) break;
        comma = true;
      }
      if (!failed_ && !accept(Tok::RBracket)) closeExpected(open);
    }
    value = addList(call ? Syn::Call : Syn::Index, begin, lastEnd_, value, std::span(scratch_).subspan(mark));
    nodes_[value].wide = comma;
    scratch_.resize(mark);
  }
  if (chain > 4) depth_ -= std::min(depth_, chain - 4);
  return value;
}

void Syntax::closeExpected(uint32_t open) {
  const char bracket = text_[open];
  const char closing = bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
  std::string message = std::string("expected '") + closing + "' or ','";
  const std::string_view between = text_.substr(open, token_.begin - open);
  if (between.find('\n') != std::string_view::npos) {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + open, '\n');
    message = "the '" + std::string(1, bracket) + "' of line " + std::to_string(line) + " is not closed: " + message;
  }
  error(token_, message);
}

void Syntax::callArguments(std::vector<NodeId>& args, uint32_t open) {
  while (!failed_ && token_.kind != Tok::RParen) {
    args.push_back(argument());
    if (!accept(Tok::Comma)) break;
  }
  if (!failed_ && !accept(Tok::RParen)) closeExpected(open);
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
    closeExpected(begin);
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
