// Expressions of conditions, log points and watches: names, registers, members and arithmetic over numbers. They read
// what the machine holds and never run anything of the program.
//
//   or      := and ("||" and)*            and     := compare ("&&" compare)*
//   compare := sum (("=="|"!="|"<"|"<="|">"|">=") sum)?
//   sum     := product (("+"|"-") product)*
//   product := unary (("*"|"/"|"//"|"%") unary)*     unary := ("-"|"!"|"not")* postfix
//   postfix := primary ("." name | "[" or ("," or)* "]")*
//   primary := number | "text" | name | name "(" or ("," or)* ")" | "%" (digits or name) | "(" or ")"
//
// `and`, `or`, `True`, `False` of Python are understood; words.h lists what can be called. Division by zero and
// overflow are errors. The span of an error's diagnostic has the bytes of the expression that it is about, without a
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/support/result.h"

namespace rx::debug {

/// Something that the environment holds (a tensor, a tuple, ...), by a number that the environment gave out.
struct Handle {
  int64_t id = 0;
  bool operator==(const Handle&) const = default;
};
/// A number of bytes: an integer that is shown with its unit.
struct Bytes {
  int64_t count = 0;
  bool operator==(const Bytes&) const = default;
};
using Quantity = std::variant<bool, int64_t, double, std::string, Handle, Bytes>;

/// Where names get their values.
class Environment {
 public:
  virtual ~Environment() = default;
  /// A variable, symbol or register ("%3"). Fails with `debug.unknown-name`.
  virtual Result<Quantity> lookUp(std::string_view name) = 0;
  /// `value.name`: a word of words.h that is a member.
  virtual Result<Quantity> member(Handle value, std::string_view name) = 0;
  /// An element of a tensor, shape or tuple.
  virtual Result<Quantity> element(Handle value, const std::vector<int64_t>& index) = 0;
  /// `name(value)`: a word of words.h over what a handle stands for.
  virtual Result<Quantity> apply(std::string_view name, Handle value) = 0;
};

/// Nesting of parentheses and operators that an expression may have.
inline constexpr int kMaxExpressionDepth = 50;
inline constexpr size_t kMaxExpressionLength = 4096;

/// Fails with `debug.expression` (not an expression, or operands that do not fit) or what the environment says.
/// `compared` gets the left side of the outermost comparison: 18 of `nan(x) > 0`.
Result<Quantity> evaluate(std::string_view text, Environment& environment, std::optional<Quantity>* compared = nullptr);
/// Checks the form alone.
Result<Unit> checkExpression(std::string_view text);
/// A number that is not 0, a text that is not empty, any handle.
bool truthOf(const Quantity& quantity);
/// "18", "2.5", "True", "401408 B (392 KiB)".
std::string quantityText(const Quantity& quantity);
/// The number that a quantity is: True is 1.
std::optional<double> numberOf(const Quantity& quantity);

/// Replaces each `{expression}` of a log message by its value; an expression that fails shows why in its place.
std::string interpolate(std::string_view message, Environment& environment);
/// Checks the form of the expressions of a log message.
Result<Unit> checkLogMessage(std::string_view message);

}  // namespace rx::debug
