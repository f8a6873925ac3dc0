#include "core/debug/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace rx::debug {

namespace {

Failure wrong(std::string why) { return fail("debug.expression", std::move(why)); }

/// A binary operator, tighter ones later. Both integer and real forms; null where there is none.
struct Operator {
  std::string_view text;
  int level;
  Result<Quantity> (*integers)(int64_t, int64_t);
  Quantity (*reals)(double, double);
};

template <class F>
Result<Quantity> checked(int64_t a, int64_t b, F overflows) {
  int64_t result = 0;
  if (overflows(a, b, &result)) return wrong("the result does not fit 64 bits");
  return Quantity(result);
}

Result<Quantity> divided(int64_t a, int64_t b, bool remainder) {
  if (b == 0) return wrong("division by zero");
  if (b == -1)
    return remainder ? Result<Quantity>(Quantity(int64_t{0}))
                     : checked(0, a, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); });
  int64_t quotient = a / b, rest = a % b;
  // Python's floor division: the remainder has the sign of the divisor.
  if (rest != 0 && (rest < 0) != (b < 0)) {
    --quotient;
    rest += b;
  }
  return Quantity(remainder ? rest : quotient);
}

constexpr int kCompare = 2, kSum = 3, kProduct = 4;
// Longer texts before their prefixes.
const Operator kOperators[] = {
    {"==", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a == b); },
     [](double a, double b) { return Quantity(a == b); }},
    {"!=", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a != b); },
     [](double a, double b) { return Quantity(a != b); }},
    {"<=", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a <= b); },
     [](double a, double b) { return Quantity(a <= b); }},
    {">=", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a >= b); },
     [](double a, double b) { return Quantity(a >= b); }},
    {"<", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a < b); },
     [](double a, double b) { return Quantity(a < b); }},
    {">", kCompare, [](int64_t a, int64_t b) -> Result<Quantity> { return Quantity(a > b); },
     [](double a, double b) { return Quantity(a > b); }},
    {"+", kSum,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](auto x, auto y, auto* r) { return __builtin_add_overflow(x, y, r); });
     },
     [](double a, double b) { return Quantity(a + b); }},
    {"-", kSum,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); });
     },
     [](double a, double b) { return Quantity(a - b); }},
    {"*", kProduct,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](auto x, auto y, auto* r) { return __builtin_mul_overflow(x, y, r); });
     },
     [](double a, double b) { return Quantity(a * b); }},
    {"//", kProduct, [](int64_t a, int64_t b) { return divided(a, b, false); },
     [](double a, double b) { return Quantity(std::floor(a / b)); }},
    {"/", kProduct,
     [](int64_t a, int64_t b) -> Result<Quantity> {
       if (b == 0) return wrong("division by zero");
       return Quantity(static_cast<double>(a) / static_cast<double>(b));
     },
     [](double a, double b) { return Quantity(a / b); }},
    {"%", kProduct, [](int64_t a, int64_t b) { return divided(a, b, true); },
     [](double a, double b) { return Quantity(a - b * std::floor(a / b)); }},
};

std::optional<int64_t> integerOf(const Quantity& q) {
  if (const auto* b = std::get_if<bool>(&q)) return *b;
  if (const auto* i = std::get_if<int64_t>(&q)) return *i;
  return {};
}
std::optional<double> realOf(const Quantity& q) {
  if (const auto* d = std::get_if<double>(&q)) return *d;
  if (auto i = integerOf(q)) return static_cast<double>(*i);
  return {};
}

Result<Quantity> apply(const Operator& op, const Quantity& a, const Quantity& b) {
  auto x = integerOf(a), y = integerOf(b);
  if (x && y) return op.integers(*x, *y);
  auto u = realOf(a), v = realOf(b);
  if (u && v) return op.reals(*u, *v);
  const auto *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  if (s && t && (op.text == "==" || op.text == "!=")) return Quantity((*s == *t) == (op.text == "=="));
  return wrong(fmt::format("`{}` needs numbers on both sides, or == and != two texts", op.text));
}

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Parses and evaluates in one go; with a null environment it only parses. Depth is bounded by kMaxExpressionDepth.
class Evaluator {
 public:
  Evaluator(std::string_view text, Environment* environment) : text_(text), environment_(environment) {}

  Result<Quantity> run() {
    if (text_.size() > kMaxExpressionLength) return wrong("the expression is too long");
    RX_TRY(value, level(0));
    skipSpace();
    if (at_ != text_.size()) return unexpected();
    return value;
  }

 private:
  Failure unexpected() const {
    if (at_ >= text_.size()) return wrong("the expression ends too early");
    return wrong(fmt::format("unexpected `{}` at column {}", escapedForDisplay(text_.substr(at_, 8)), at_ + 1));
  }
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    size_t end = at_ + token.size();
    if (isNameStart(token.back()) && end < text_.size() && (isNameStart(text_[end]) || isDigit(text_[end])))
      return false;
    at_ = end;
    return true;
  }
  const Operator* operatorOf(int level) {
    for (const Operator& op : kOperators)
      if (take(op.text)) {
        if (op.level == level) return &op;
        at_ -= op.text.size();
        return nullptr;
      }
    return nullptr;
  }

  /// Levels: 0 or, 1 and, then those of kOperators, then unary.
  Result<Quantity> level(int n) {
    if (n > kProduct) return unary();
    if (++depth_ > kMaxExpressionDepth * (kProduct + 1)) return wrong("the expression nests too deep");
    RX_TRY(left, level(n + 1));
    for (;;) {
      if (n <= 1) {
        if (!(n == 0 ? take("||") || take("or") : take("&&") || take("and"))) break;
        // Both sides are evaluated: nothing here has an effect, so only an error could tell the difference.
        bool a = truthOf(left);
        RX_TRY(right, level(n + 1));
        left = Quantity(n == 0 ? a || truthOf(right) : a && truthOf(right));
        continue;
      }
      const Operator* op = operatorOf(n);
      if (!op) break;
      RX_TRY(right, level(n + 1));
      if (environment_) {
        RX_TRY(combined, apply(*op, left, right));
        left = std::move(combined);
      }
      if (n == kCompare) break;
    }
    --depth_;
    return left;
  }

  Result<Quantity> unary() {
    std::string signs;
    for (;;) {
      skipSpace();
      if (take("not") || (text_.substr(at_, 2) != "!=" && take("!"))) {
        signs += '!';
      } else if (take("-")) {
        signs += '-';
      } else {
        break;
      }
    }
    RX_TRY(value, postfix());
    while (!signs.empty() && environment_) {
      if (signs.back() == '!') {
        value = Quantity(!truthOf(value));
      } else if (auto i = integerOf(value)) {
        RX_TRY(negated, checked(0, *i, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); }));
        value = std::move(negated);
      } else if (auto d = realOf(value)) {
        value = Quantity(-*d);
      } else {
        return wrong("`-` needs a number");
      }
      signs.pop_back();
    }
    return value;
  }

  Result<Quantity> postfix() {
    RX_TRY(value, primary());
    for (;;) {
      if (take("[")) {
        std::vector<int64_t> index;
        do {
          RX_TRY(part, level(0));
          auto number = integerOf(part);
          if (!number && environment_) return wrong("an index is an integer");
          index.push_back(number.value_or(0));
        } while (take(","));
        if (!take("]")) return unexpected();
        if (!environment_) continue;
        const auto* handle = std::get_if<Handle>(&value);
        if (!handle) return wrong("only tensors, shapes and tuples have elements");
        RX_TRY(part, environment_->element(*handle, index));
        value = std::move(part);
      } else if (take(".")) {
        std::string_view member = name();
        if (member.empty()) return unexpected();
        if (!environment_) continue;
        const auto* handle = std::get_if<Handle>(&value);
        if (!handle) return wrong("a number has no members");
        RX_TRY(part, environment_->member(*handle, member));
        value = std::move(part);
      } else {
        return value;
      }
    }
  }

  std::string_view name() {
    skipSpace();
    size_t begin = at_;
    if (at_ < text_.size() && isNameStart(text_[at_]))
      while (at_ < text_.size() && (isNameStart(text_[at_]) || isDigit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<Quantity> primary() {
    skipSpace();
    if (at_ >= text_.size()) return unexpected();
    char c = text_[at_];
    if (take("(")) {
      RX_TRY(value, level(0));
      if (!take(")")) return unexpected();
      return value;
    }
    if (isDigit(c) || (c == '.' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))) return number();
    if (c == '"' || c == '\'') {
      size_t end = text_.find(c, at_ + 1);
      if (end == std::string_view::npos) return wrong("a text is not closed");
      std::string content(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return Quantity(std::move(content));
    }
    size_t begin = at_;
    if (c == '%') {
      ++at_;
      while (at_ < text_.size() && isDigit(text_[at_])) ++at_;
      if (at_ == begin + 1) return unexpected();
    } else if (name().empty()) {
      return unexpected();
    }
    std::string_view found = text_.substr(begin, at_ - begin);
    if (found == "True" || found == "true") return Quantity(true);
    if (found == "False" || found == "false") return Quantity(false);
    if (!environment_) return Quantity(int64_t{0});
    return environment_->lookUp(found);
  }

  Result<Quantity> number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    int64_t integer = 0;
    auto whole = std::from_chars(begin, end, integer);
    double real = 0;
    auto fraction = std::from_chars(begin, end, real);
    if (fraction.ec != std::errc()) return wrong("a number is out of range");
    at_ += static_cast<size_t>(fraction.ptr - begin);
    if (whole.ec == std::errc() && whole.ptr == fraction.ptr) return Quantity(integer);
    return Quantity(real);
  }

  std::string_view text_;
  Environment* environment_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Quantity> evaluate(std::string_view text, Environment& environment) {
  return Evaluator(text, &environment).run();
}

Result<Unit> checkExpression(std::string_view text) {
  RX_CHECK(Evaluator(text, nullptr).run());
  return Unit();
}

bool truthOf(const Quantity& quantity) {
  if (auto number = realOf(quantity)) return *number != 0;
  if (const auto* text = std::get_if<std::string>(&quantity)) return !text->empty();
  return true;
}

std::string quantityText(const Quantity& quantity) {
  struct Text {
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(Handle h) const { return fmt::format("value {}", h.id); }
  };
  return std::visit(Text(), quantity);
}

std::string interpolate(std::string_view message, Environment& environment) {
  std::string out;
  while (!message.empty()) {
    size_t open = message.find('{');
    size_t close = open == std::string_view::npos ? open : message.find('}', open);
    if (close == std::string_view::npos) break;
    out += message.substr(0, open);
    Result<Quantity> value = evaluate(message.substr(open + 1, close - open - 1), environment);
    out += value ? quantityText(*value) : "{" + value.diagnostics().front().message + "}";
    message.remove_prefix(close + 1);
  }
  return out.append(message);
}

}  // namespace rx::debug
