#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/relay/emit.h"
#include "core/relay/reader.h"
#include "core/support/nearest.h"

namespace rx::relay {

namespace {

struct Operator {
  Tok token;
  int precedence;
  const char* name;
};
constexpr Operator kOperators[] = {
    {Tok::Star, 12, "multiply"},
    {Tok::Slash, 12, "divide"},
    {Tok::Plus, 10, "add"},
    {Tok::Minus, 10, "subtract"},
    {Tok::Lt, 8, "less"},
    {Tok::Le, 8, "less_equal"},
    {Tok::Gt, 8, "greater"},
    {Tok::Ge, 8, "greater_equal"},
    {Tok::EqEq, 7, "equal"},
    {Tok::NotEq, 7, "not_equal"},
    {Tok::AndAnd, 5, "logical_and"},
    {Tok::OrOr, 4, "logical_or"},
};

const Operator* operatorOf(Tok token) {
  for (const Operator& row : kOperators) {
    if (row.token == token) return &row;
  }
  return nullptr;
}

}  // namespace

Expr Reader::expression() {
  return nested([&] { return operators(); });
}

/// Operators of one level bind to the left.
Expr Reader::operators() {
  struct Pending {
    const Operator* op;
    Expr rhs;
  };
  const uint32_t begin = here();
  Expr first = postfix();
  std::vector<Pending> pending;
  auto reduce = [&] {
    const Pending last = pending.back();
    pending.pop_back();
    Expr& lhs = pending.empty() ? first : pending.back().rhs;
    lhs = placed(new Call(operatorNamed(last.op->name), Array<Expr>{lhs, last.rhs}), begin);
  };
  while (!failed_) {
    const Operator* op = operatorOf(peek().kind);
    if (!op) break;
    ++at_;
    while (!pending.empty() && pending.back().op->precedence >= op->precedence) reduce();
    pending.push_back({op, postfix()});
  }
  while (!failed_ && !pending.empty()) reduce();
  return failed_ ? nullptr : first;
}

Expr Reader::postfix() {
  const uint32_t begin = here();
  Expr expr = atom();
  const OlderForm* older = std::exchange(older_, nullptr);
  while (!failed_) {
    if (at(Tok::LParen)) {
      expr = call(expr, begin, std::exchange(older, nullptr));
    } else if (at(Tok::Dot) && peek(1).kind == Tok::Number) {
      take(Tok::Dot);
      const Token index = peek();
      take(Tok::Number);
      int64_t value = 0;
      std::from_chars(text_.data() + index.begin, text_.data() + index.end, value);
      expr = placed(new TupleGetItem(expr, value), begin);
    } else {
      break;
    }
  }
  const auto* constructor = failed_ ? nullptr : as<Constructor>(expr);
  if (constructor && constructor->inputs.empty()) return placed(new Call(expr, {}), begin);
  return failed_ ? nullptr : expr;
}

Expr Reader::atom() {
  if (failed_) return nullptr;  // no word is taken any more, and the same would be met again and again
  const uint32_t begin = here();
  switch (peek().kind) {
    case Tok::Number:
      if (const Expr constructor = numberedConstructor()) return constructor;
      return number(false);
    case Tok::Minus: {
      bool negative = false;
      while (take(Tok::Minus)) negative = !negative;
      if (!at(Tok::Number) && !atWord("inff") && !atWord("nanf")) return unexpected("a number");
      return number(negative);
    }
    case Tok::Local:
      return local();
    case Tok::Graph:
      return graph();
    case Tok::Global: {
      const Token token = peek();
      take(Tok::Global);
      return globalVar(token);
    }
    case Tok::Meta: {
      const auto value = meta();
      return value ? constantOf(*value, begin) : nullptr;
    }
    case Tok::LParen:
      return parenthesized();
    case Tok::Name:
      return atomOfName();
    default:
      return unexpected("an expression");
  }
}

Expr Reader::atomOfName() {
  const uint32_t begin = here();
  const std::string_view word = textOf(peek());
  if (word == "True" || word == "False") return boolean(word == "True");
  if (word == "inff" || word == "nanf") return number(false);
  if (takeWord("fn")) return function(begin);
  if (word == "if") return ifExpr();
  if (word == "match") return match();
  if (word == "ref" || word == "ref_read" || word == "ref_write") return reference();
  if (const auto known = constructors_.find(word); known != constructors_.end()) {
    take(Tok::Name);
    return known->second;
  }
  const std::string name = dottedName();
  older_ = findOlderForm(name);
  if (const OpRow* row = findOperator(older_ ? older_->op : name)) return row->op;
  Nearest nearest(name);
  for (const OpRow& row : relay::operators()) nearest.offer(row.name);
  const Span span = spanFrom(begin);
  return unknownName(text_.substr(span.begin, span.end - span.begin), span, "relay.unknown-op",
                     "no operator or constructor is named '" + name + "'", nearest.fix());
}

Expr Reader::reference() {
  const uint32_t begin = here();
  const std::string_view word = textOf(peek());
  take(Tok::Name);
  expect(Tok::LParen, "'('");
  Expr first = expression();
  Expr second;
  if (word == "ref_write") {
    expect(Tok::Comma, "','");
    second = expression();
  }
  expect(Tok::RParen, "')'");
  if (failed_) return nullptr;
  if (word == "ref") return placed(new RefCreate(first), begin);
  if (word == "ref_read") return placed(new RefRead(first), begin);
  return placed(new RefWrite(first, second), begin);
}

Expr Reader::parenthesized() {
  const uint32_t begin = here();
  take(Tok::LParen);
  std::vector<Expr> items;
  bool comma = false;
  while (!failed_ && !at(Tok::RParen)) {
    items.push_back(sequence());
    if (failed_) return nullptr;
    if (take(Tok::Comma)) {
      comma = true;
    } else if (!at(Tok::RParen)) {
      return unexpected("',' or ')'");
    }
  }
  take(Tok::RParen);
  if (items.size() == 1 && !comma) return items.front();
  return placed(new Tuple(Array<Expr>(std::move(items))), begin);
}

Expr Reader::boolean(bool value) {
  const uint32_t begin = here();
  take(Tok::Name);
  return placed(new Constant(HostTensor::scalarInt(DataType::Bool(), value)), begin);
}

/// Digits with a suffix: none is int32 (int64 where that is too small), i16, i32, i64; f and f16 to f64 are floats.
Expr Reader::numberedConstructor() {
  const auto known = constructors_.find(textOf(peek()));
  if (known == constructors_.end()) return nullptr;
  const size_t number = at_++;
  if (at(Tok::LParen) || !statedType() || isa<TypeCall>(statedType())) return known->second;
  at_ = number;
  return nullptr;
}

Expr Reader::number(bool negative) {
  const uint32_t begin = here();
  const std::string_view word = textOf(peek());
  ++at_;
  auto bad = [&](const std::string& why) { return error(spanFrom(begin), "relay.number", why); };
  if (word == "inff" || word == "nanf") {
    const double value = word == "nanf" ? std::nan("") : std::numeric_limits<double>::infinity();
    return placed(new Constant(HostTensor::scalar(DataType::Float(32), negative ? -value : value)), begin);
  }
  const size_t digits = std::min(word.find_first_of("if"), word.size());
  const std::string text = (negative ? "-" : "") + std::string(word.substr(0, digits));
  const std::string_view suffix = word.substr(digits);
  const std::string_view width = suffix.empty() ? suffix : suffix.substr(1);
  const int bits = width.empty() ? 32 : std::atoi(std::string(width).c_str());
  if (bits != 16 && bits != 32 && bits != 64) return bad("no number has the suffix '" + std::string(suffix) + "'");
  if (suffix.starts_with('f')) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const double limit = bits == 16 ? 65504.0 : bits == 32 ? std::numeric_limits<float>::max() : HUGE_VAL;
    if (*end) return bad("'" + std::string(word) + "' is no number");
    if (std::abs(value) > limit) return bad(text + " does not fit float" + std::to_string(bits));
    return placed(new Constant(HostTensor::scalar(DataType::Float(static_cast<uint8_t>(bits)), value)), begin);
  }
  int64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong == std::errc::result_out_of_range) return bad(text + " does not fit int64");
  if (end != text.data() + text.size()) {
    return text.find_first_of(".eE") != std::string::npos && suffix.empty()
               ? error(spanFrom(begin), "relay.number", "a number with a fraction needs a suffix",
                       "write " + text + "f, or f16, f64")
               : bad("'" + std::string(word) + "' is no number");
  }
  const bool fits = bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1)));
  if (!fits && !suffix.empty()) return bad(text + " does not fit int" + std::to_string(bits));
  const auto dtype = DataType::Int(static_cast<uint8_t>(fits ? bits : 64));
  return placed(new Constant(HostTensor::scalarInt(dtype, value)), begin);
}

Expr Reader::local() {
  const Token token = peek();
  const std::string_view name = textOf(token).substr(1);
  take(Tok::Local);
  if (const script::NameId id = names_.find(name); id < locals_.size() && locals_[id].var) return locals_[id].var;
  if (const auto hit = freeVars_.find(name); hit != freeVars_.end()) return hit->second;
  Nearest nearest(name);
  for (size_t id = 0; id < locals_.size(); ++id) {
    if (locals_[id].var) nearest.offer(names_.text(static_cast<script::NameId>(id)));
  }
  return unknownName(textOf(token), spanOf(token), "relay.undefined-var",
                     "%" + std::string(name) + " is not defined here", nearest.fix("%"));
}

Reader::GraphEntry& Reader::graphEntry(const Token& token) {
  const std::string_view digits = textOf(token).substr(1);
  size_t number = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool counts = wrong == std::errc() && number < tokens_.size() && (digits.size() == 1 || digits.front() != '0');
  if (!counts) return farGraph_[textOf(token)];
  if (number >= graph_.size()) graph_.resize(std::max(number + 1, 2 * graph_.size()));
  return graph_[number];
}

Expr Reader::graph() {
  const Token token = peek();
  take(Tok::Graph);
  // Functions see what those above them bound, as in TVM. In a text with errors that is rather one more of them.
  const GraphEntry& entry = graphEntry(token);
  if (entry.expr && (entry.function == functionNumber_ || diagnostics_.empty())) return entry.expr;
  const size_t before = diagnostics_.size();
  const Expr unknown = unknownName(textOf(token), spanOf(token), "relay.undefined-var",
                                   std::string(textOf(token)) + " is not bound before");
  if (diagnostics_.size() == before) return unknown;
  for (size_t i = 0; peek(i).kind != Tok::End && !(atWord("def", i) && peek(i + 1).kind == Tok::Global); ++i) {
    if (textOf(peek(i)) != textOf(token) || peek(i + 1).kind != Tok::Assign) continue;
    diagnostics_.back().notes.push_back({"it is bound here; a binding uses those above it alone", spanOf(peek(i))});
    break;
  }
  return unknown;
}

std::string Reader::dottedName() {
  std::string name(textOf(peek()));
  take(Tok::Name);
  while (at(Tok::Dot) && peek(1).kind == Tok::Name) {
    take(Tok::Dot);
    name += '.';
    name += textOf(peek());
    take(Tok::Name);
  }
  return name;
}

void Reader::shareNumber(std::vector<Expr>& args) {
  const Expr last = args.back();
  if (!isScalarConstant(last)) return;
  for (const Expr& arg : args) {
    if (!sameScalars(arg, last)) continue;
    args.back() = arg;
    return;
  }
}

Expr Reader::call(const Expr& callee, uint32_t begin, const OlderForm* older) {
  std::vector<Expr> args;
  ir::Attrs attrs;
  list(Tok::LParen, Tok::RParen, "'('", [&] {
    if (atAttribute()) {
      attrs = attributes();
      return;
    }
    if (at(Tok::Meta) && textOf(peek(2)) == "relay" && textOf(peek(4)) == "attrs") {
      const auto value = meta();
      if (!value) return;
      attrs = refAs<ir::DictAttrs>(value->value);
      if (!attrs) attrs = ir::withAttr(nullptr, kUnresolvedAttrs, unresolved(*value, begin));
      return;
    }
    args.push_back(sequence());
    if (isPrinted_ && !failed_) shareNumber(args);
  });
  if (failed_) return nullptr;
  if (older) {
    WrittenCall written{std::move(args), std::move(attrs), isOldText_};
    older->amend(written);
    args = std::move(written.args);
    attrs = std::move(written.attrs);
  }
  return finishCall(callee, std::move(args), attrs, begin);
}

Expr Reader::finishCall(const Expr& callee, std::vector<Expr> args, ir::Attrs attrs, uint32_t begin) {
  if (const auto* op = as<Op>(callee)) {
    const OpRow& row = rowOf(*op);
    checkAttributes(*row.attrs, attrs, row.name, spanFrom(begin));
    attrs = withoutDefaults(*row.attrs, attrs);
  }
  if (attrs && attrs->size() == 0) attrs = nullptr;
  return placed(new Call(callee, Array<Expr>(std::move(args)), attrs), begin);
}

}  // namespace rx::relay
