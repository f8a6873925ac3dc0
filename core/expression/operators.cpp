#include "core/expression/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rx::debug {

namespace {

Failure wrong(std::string why) { return fail("debug.expression", std::move(why)); }

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

/// A function of one number.
struct NumberFunction {
  std::string_view name;
  Result<Quantity> (*of)(const Quantity& number);
};

double real(const Quantity& q) { return *numberOf(q); }

/// An integer stays one; a real is rounded and stays a real.
template <class F>
Result<Quantity> rounded(const Quantity& q, F round) {
  if (auto i = integerOf(q)) return Quantity(*i);
  return Quantity(round(real(q)));
}

const NumberFunction kNumberFunctions[] = {
    {"abs",
     [](const Quantity& q) -> Result<Quantity> {
       if (auto i = integerOf(q)) return *i < 0 ? negated(q) : Result<Quantity>(Quantity(*i));
       return Quantity(std::fabs(real(q)));
     }},
    {"isnan", [](const Quantity& q) -> Result<Quantity> { return Quantity(std::isnan(real(q))); }},
    {"isinf", [](const Quantity& q) -> Result<Quantity> { return Quantity(std::isinf(real(q))); }},
    {"sqrt", [](const Quantity& q) -> Result<Quantity> { return Quantity(std::sqrt(real(q))); }},
    {"floor", [](const Quantity& q) { return rounded(q, [](double x) { return std::floor(x); }); }},
    {"ceil", [](const Quantity& q) { return rounded(q, [](double x) { return std::ceil(x); }); }},
};

/// The smallest or largest of some numbers, NaN where one is.
Result<Quantity> extreme(const std::vector<Quantity>& numbers, bool largest) {
  const Quantity* found = &numbers.front();
  for (const Quantity& number : numbers) {
    if (std::isnan(real(number))) return number;
    if (largest ? real(number) > real(*found) : real(number) < real(*found)) found = &number;
  }
  return *found;
}

}  // namespace

std::span<const Operator> operators() { return kOperators; }

std::optional<int64_t> integerOf(const Quantity& quantity) {
  if (const auto* b = std::get_if<bool>(&quantity)) return *b;
  if (const auto* i = std::get_if<int64_t>(&quantity)) return *i;
  if (const auto* b = std::get_if<Bytes>(&quantity)) return b->count;
  return {};
}

std::optional<double> numberOf(const Quantity& quantity) {
  if (const auto* d = std::get_if<double>(&quantity)) return *d;
  if (auto i = integerOf(quantity)) return static_cast<double>(*i);
  return {};
}

namespace {

/// Sums and differences of bytes are bytes, and so are multiples and parts of them.
bool givesBytes(std::string_view op, bool left, bool right) {
  if (op == "+" || op == "-") return left && right;
  if (op == "*") return left != right;
  return (op == "//" && left && !right) || (op == "%" && left);
}

}  // namespace

Result<Quantity> applyOperator(const Operator& op, const Quantity& a, const Quantity& b) {
  auto x = integerOf(a), y = integerOf(b);
  if (x && y) {
    RX_TRY(result, op.integers(*x, *y));
    const bool bytes = givesBytes(op.text, std::holds_alternative<Bytes>(a), std::holds_alternative<Bytes>(b));
    return bytes ? Quantity(Bytes{*integerOf(result)}) : result;
  }
  auto u = numberOf(a), v = numberOf(b);
  if (u && v) return op.reals(*u, *v);
  const auto *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  if (s && t && (op.text == "==" || op.text == "!=")) return Quantity((*s == *t) == (op.text == "=="));
  return wrong(fmt::format("`{}` needs numbers on both sides, or == and != two texts", op.text));
}

Result<Quantity> negated(const Quantity& value) {
  if (auto i = integerOf(value))
    return checked(0, *i, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); });
  if (auto d = numberOf(value)) return Quantity(-*d);
  return wrong("`-` needs a number");
}

Result<Quantity> applyFunction(std::string_view name, const std::vector<Quantity>& arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), [](const Quantity& q) { return !numberOf(q); }))
    return wrong(fmt::format("`{}` of several values needs numbers", name));
  if (name == "min" || name == "max") return extreme(arguments, name == "max");
  for (const NumberFunction& function : kNumberFunctions)
    if (function.name == name) return function.of(arguments.front());
  return wrong(fmt::format("`{}` needs a tensor", name));
}

}  // namespace rx::debug
