#include "core/arith/rule_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/support/assert.h"

namespace rx::arith {

namespace {

struct NamedKind {
  std::string_view name;
  Kind kind;
};
constexpr NamedKind kCalls[] = {
    {"min", Kind::tir_Min},           {"max", Kind::tir_Max},      {"floordiv", Kind::tir_FloorDiv},
    {"floormod", Kind::tir_FloorMod}, {"truncdiv", Kind::tir_Div}, {"truncmod", Kind::tir_Mod},
    {"select", Kind::tir_Select},     {"ramp", Kind::tir_Ramp},    {"broadcast", Kind::tir_Broadcast},
};
struct NamedFunction {
  std::string_view name;
  RuleFunction function;
};
constexpr NamedFunction kFunctions[] = {
    {"zero", RuleFunction::Zero},   {"one", RuleFunction::One},       {"lo", RuleFunction::Lo},
    {"hi", RuleFunction::Hi},       {"exact", RuleFunction::Exact},   {"coeff", RuleFunction::Coeff},
    {"base", RuleFunction::Base},   {"power2", RuleFunction::Power2}, {"ge", RuleFunction::AtLeast},
    {"lt", RuleFunction::Below},    {"eq", RuleFunction::Equal},      {"prove", RuleFunction::Prove},
    {"pure", RuleFunction::Pure},   {"scaled", RuleFunction::Scaled}, {"vscale", RuleFunction::VScale},
    {"fixed", RuleFunction::Fixed},
};
/// Binary operators, the loosest level first; the longer spelling of a level before its prefix.
struct Operator {
  std::string_view spelling;
  Kind kind;
  int level;
};
constexpr Operator kOperators[] = {
    {"||", Kind::tir_Or, 0}, {"&&", Kind::tir_And, 1}, {"==", Kind::tir_EQ, 2}, {"!=", Kind::tir_NE, 2},
    {"<=", Kind::tir_LE, 2}, {">=", Kind::tir_GE, 2},  {"<", Kind::tir_LT, 2},  {">", Kind::tir_GT, 2},
    {"+", Kind::tir_Add, 3}, {"-", Kind::tir_Sub, 3},  {"*", Kind::tir_Mul, 4}, {"/", Kind::tir_Div, 4},
    {"%", Kind::tir_Mod, 4},
};

/// Recursive descent over one text of a table; nesting is that of the table's rows.
class Parser {
 public:
  Parser(std::string_view text, RuleParts& parts) : text_(text), rest_(text), parts_(parts) {}

  uint16_t parse() {
    const uint16_t root = binary(0);
    skip();
    RX_ASSERT(rest_.empty(), "rule text \"{}\" goes on after its end", text_);
    return root;
  }

 private:
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  uint16_t put(RulePart part) {
    parts_.push_back(part);
    return static_cast<uint16_t>(parts_.size() - 1);
  }
  uint16_t node(Kind kind, std::initializer_list<uint16_t> operands) {
    RulePart part;
    part.what = RulePart::What::Node;
    part.kind = kind;
    for (uint16_t operand : operands) part.parts[part.count++] = operand;
    return put(part);
  }
  uint16_t number(int64_t value, RulePart::What what = RulePart::What::Number) {
    RulePart part;
    part.what = what;
    part.number = value;
    return put(part);
  }

  /// The operator that comes next; null where none does.
  const Operator* operatorAhead() {
    skip();
    if (rest_.empty()) return nullptr;
    for (const Operator& op : kOperators)
      if (rest_.front() == op.spelling.front() && rest_.starts_with(op.spelling)) return &op;
    return nullptr;
  }
  /// Operators of that level or a tighter one.
  uint16_t binary(int loosest) {
    uint16_t left = unary();
    for (const Operator* op = operatorAhead(); op && op->level >= loosest; op = operatorAhead()) {
      rest_.remove_prefix(op->spelling.size());
      left = node(op->kind, {left, binary(op->level + 1)});
    }
    return left;
  }
  uint16_t unary() {
    if (take("!")) return node(Kind::tir_Not, {unary()});
    if (take("-")) return node(Kind::tir_Sub, {number(0), unary()});
    if (take("(")) {
      const uint16_t inner = binary(0);
      RX_ASSERT(take(")"), "rule text \"{}\" lacks a parenthesis", text_);
      return inner;
    }
    return primary();
  }
  uint16_t primary() {
    skip();
    size_t length = 0;
    while (length < rest_.size() && std::isalnum(static_cast<unsigned char>(rest_[length]))) ++length;
    const std::string_view word = rest_.substr(0, length);
    RX_ASSERT(!word.empty(), "rule text \"{}\" lacks an operand", text_);
    rest_.remove_prefix(length);
    int64_t value = 0;
    if (std::isdigit(static_cast<unsigned char>(word.front()))) {
      std::from_chars(word.data(), word.data() + word.size(), value);
      return number(value);
    }
    if (word == "true" || word == "false") return number(word == "true", RulePart::What::Truth);
    if (take("(")) return call(word);
    RulePart part;
    const auto slot = std::ranges::find(kSlots, word, &SlotName::name);
    RX_ASSERT(slot != std::end(kSlots), "\"{}\" in \"{}\" names no slot", word, text_);
    part.slot = static_cast<uint8_t>(slot - std::begin(kSlots));
    return put(part);
  }
  uint16_t call(std::string_view name) {
    RulePart part;
    do {
      RX_ASSERT(part.count < part.parts.size(), "too many operands in \"{}\"", text_);
      part.parts[part.count++] = binary(0);
    } while (take(","));
    RX_ASSERT(take(")"), "rule text \"{}\" lacks a parenthesis", text_);
    if (const auto kind = std::ranges::find(kCalls, name, &NamedKind::name); kind != std::end(kCalls)) {
      part.what = RulePart::What::Node;
      part.kind = kind->kind;
      return put(part);
    }
    const auto function = std::ranges::find(kFunctions, name, &NamedFunction::name);
    RX_ASSERT(function != std::end(kFunctions), "\"{}\" in \"{}\" names no function", name, text_);
    part.what = RulePart::What::Function;
    part.function = function->function;
    return put(part);
  }

  std::string_view text_, rest_;
  RuleParts& parts_;
};

}  // namespace

uint16_t parseRuleText(std::string_view text, RuleParts& parts) { return Parser(text, parts).parse(); }

}  // namespace rx::arith
