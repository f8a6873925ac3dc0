// Literals: the numbers that a user writes to be the new value of something in a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression.h"
#include "core/tensor/dtype.h"

namespace rx::debug {

/// A number as it was written: a whole one exactly, of up to 64 bits with its sign, else a real one.
struct Number {
  std::optional<uint64_t> magnitude;  ///< of a whole number
  bool negative = false;
  double real = 0;  ///< of any number
};

/// One number, or a list of them.
struct Literal {
  bool list = false;
  std::vector<int64_t> shape;  ///< of a list: it is as nested as a tensor of this shape
  std::vector<Number> numbers;
};

/// Reads `2.5`, `-3`, `nan`, `-inf`, `True`, an expression over what `names` has, or lists of them: `[[1, 2], [3, 4]]`.
/// Fails with `debug.literal`, or as the expression does.
Result<Literal> readLiteral(std::string_view text, Environment& names);

/// Reads a string as Python writes it: "it's", 'a\n', "\x1b". Fails with `debug.literal`.
Result<std::string> readString(std::string_view text);
/// Reads the name of a type of elements, with quotation marks or without: float16, "int8". Fails with `debug.literal`.
Result<DataType> readType(std::string_view text);

/// Where the item of a list or an index ends that begins at `from`: at a comma or bracket outside of its own brackets.
size_t endOfItem(std::string_view text, size_t from);

/// Writes a number as an element of a type; fails with `debug.range` where the type can not hold it.
Result<Unit> writeNumber(DataType type, const Number& number, std::byte* to);
/// The number as a whole one of 64 bits, or as a truth value; fails with `debug.range`.
Result<int64_t> wholeOf(const Number& number);
Result<bool> truthOf(const Number& number);

}  // namespace rx::debug
