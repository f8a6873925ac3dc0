// The operators and functions over plain numbers.
#pragma once

#include <span>

#include "core/expression/expression.h"

namespace rx::debug {

/// A binary operator, tighter ones later. Both integer and real forms.
struct Operator {
  std::string_view text;
  int level;
  Result<Quantity> (*integers)(int64_t, int64_t);
  Quantity (*reals)(double, double);
};
inline constexpr int kCompare = 2, kSum = 3, kProduct = 4;

/// Longer texts before their prefixes.
std::span<const Operator> operators();
Result<Quantity> applyOperator(const Operator& op, const Quantity& a, const Quantity& b);
/// `-value`.
Result<Quantity> negated(const Quantity& value);
/// A word of words.h over numbers.
Result<Quantity> applyFunction(std::string_view name, const std::vector<Quantity>& arguments);
std::optional<int64_t> integerOf(const Quantity& quantity);

}  // namespace rx::debug
