#include "core/debug/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/support/text_lines.h"
#include "core/tensor/element.h"

namespace rx::debug {
namespace {

/// Lists in lists that a literal may have; tensors have fewer dimensions.
constexpr size_t kMostNesting = 64;

Number wholeNumber(bool negative, uint64_t magnitude) {
  const auto real = static_cast<double>(magnitude);
  return {magnitude, negative && magnitude != 0, negative ? -real : real};
}

Number realNumber(double real) {
  const double size = std::fabs(real);
  if (std::isfinite(real) && size == std::trunc(size) && size < 0x1p64 && !(real == 0 && std::signbit(real)))
    return wholeNumber(real < 0, static_cast<uint64_t>(size));
  return {{}, std::signbit(real), real};
}

/// What the language of expressions has no way to write: numbers that are not finite, and those above 2^63.
std::optional<Number> wordOrLarge(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view rest = trimmed(text.substr(negative || text.starts_with('+') ? 1 : 0));
  std::string low(rest);
  std::transform(low.begin(), low.end(), low.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  const double sign = negative ? -1 : 1;
  if (low == "nan") return Number{{}, negative, std::copysign(std::numeric_limits<double>::quiet_NaN(), sign)};
  if (low == "inf" || low == "infinity") return Number{{}, negative, sign * std::numeric_limits<double>::infinity()};
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), magnitude);
  if (error == std::errc() && end == rest.data() + rest.size()) return wholeNumber(negative, magnitude);
  return {};
}

Result<Number> readNumber(std::string_view text, Environment& names) {
  if (text.empty()) return fail("debug.literal", "a number is missing");
  if (const auto number = wordOrLarge(text)) return *number;
  RX_TRY(quantity, evaluate(text, names));
  if (const auto* whole = std::get_if<int64_t>(&quantity))
    return wholeNumber(*whole < 0, *whole < 0 ? 0 - static_cast<uint64_t>(*whole) : static_cast<uint64_t>(*whole));
  if (const auto* truth = std::get_if<bool>(&quantity)) return wholeNumber(false, *truth);
  if (const auto* real = std::get_if<double>(&quantity)) return realNumber(*real);
  return fail("debug.literal", fmt::format("`{}` is no number", escapedForDisplay(text.substr(0, 80))));
}

/// Reads lists, keeping how many items each open one has so far.
class ListReader {
 public:
  ListReader(std::string_view text, Environment& names) : text_(text), names_(names) { literal_.list = true; }

  Result<Literal> read() {
    do {
      RX_CHECK(item());
    } while (!counts_.empty());
    skipBlanks();
    if (at_ < text_.size()) return fail("debug.literal", "text follows the end of the list");
    return std::move(literal_);
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  Result<Unit> item() {
    skipBlanks();
    if (at_ == text_.size()) return fail("debug.literal", "the list has no end");
    if (text_[at_] == ']') return close();
    if (after_) {
      if (text_[at_] != ',') return fail("debug.literal", "items of a list are separated by commas");
      ++at_;
      after_ = false;
      return Unit();
    }
    if (text_[at_] == '[') return open();
    if (leaves_ == 0) leaves_ = counts_.size();
    if (leaves_ != counts_.size() || literal_.shape.size() > leaves_) return uneven();
    const size_t end = endOfItem(text_, at_);
    RX_TRY(number, readNumber(trimmed(text_.substr(at_, end - at_)), names_));
    literal_.numbers.push_back(number);
    at_ = end;
    return taken();
  }

  Result<Unit> open() {
    if (counts_.size() == kMostNesting) return fail("debug.literal", "the lists are nested too deeply");
    if (leaves_ != 0 && counts_.size() >= leaves_) return uneven();
    counts_.push_back(0);
    ++at_;
    return Unit();
  }

  Result<Unit> close() {
    const size_t level = counts_.size() - 1;
    if (literal_.shape.size() <= level) literal_.shape.resize(level + 1, -1);
    int64_t& extent = literal_.shape[level];
    if (extent >= 0 && extent != counts_.back()) return uneven();
    extent = counts_.back();
    counts_.pop_back();
    ++at_;
    return counts_.empty() ? Result<Unit>(Unit()) : taken();
  }

  Result<Unit> taken() {
    ++counts_.back();
    after_ = true;
    return Unit();
  }

  static Failure uneven() { return fail("debug.literal", "the lists of one level have the same number of items"); }

  std::string_view text_;
  Environment& names_;
  size_t at_ = 0;
  bool after_ = false;  ///< behind an item
  size_t leaves_ = 0;   ///< the level that the numbers are at
  std::vector<int64_t> counts_;
  Literal literal_;
};

std::string numberText(const Number& number) {
  if (!number.magnitude) return fmt::format("{}", number.real);
  return fmt::format("{}{}", number.negative ? "-" : "", *number.magnitude);
}

Failure tooLarge(DataType type, const Number& number, const std::string& holds) {
  return fail("debug.range",
              fmt::format("{} does not fit in {}, which holds {}", numberText(number), type.str(), holds));
}

Result<Unit> writeWhole(DataType type, const Number& number, std::byte* to) {
  const unsigned bits = type.isBool() ? 1 : type.bits;
  const uint64_t all = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const uint64_t most = type.isInt() ? all >> 1 : all;
  const uint64_t least = type.isInt() ? most + 1 : 0;  // its magnitude
  const std::string holds = type.isBool() ? "False and True (0 and 1)"
                                          : fmt::format("whole numbers from {}{} to {}", least ? "-" : "", least, most);
  if (!number.magnitude || *number.magnitude > (number.negative ? least : most)) return tooLarge(type, number, holds);
  writeInt(type, to, static_cast<int64_t>(number.negative ? 0 - *number.magnitude : *number.magnitude));
  return Unit();
}

double largestOf(DataType type) {
  if (const FloatFormat* small = smallFloatFormat(type)) {
    double largest = 0;
    for (uint32_t code = 0; code < uint32_t{1} << small->bits; ++code)
      if (const double value = decodeFloat(*small, code); std::isfinite(value)) largest = std::max(largest, value);
    return largest;
  }
  return type.bits == 32 ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max();
}

Result<Unit> writeReal(DataType type, const Number& number, std::byte* to) {
  const double value = number.real;
  writeElement(type, to, value);
  const double kept = readElement(type, to);
  const FloatFormat* small = smallFloatFormat(type);
  const bool saturates = small && small->special == FloatFormat::Special::None;
  const auto lacks = [&](const char* what) {
    return fail("debug.range", fmt::format("{} has no {}", type.str(), what));
  };
  if (std::isnan(value)) return std::isnan(kept) ? Result<Unit>(Unit()) : lacks("NaN");
  if (std::isinf(value)) return kept == value ? Result<Unit>(Unit()) : lacks("infinity");
  if (value < 0 && small && !small->hasSign) return lacks("negative numbers");
  if (std::isfinite(kept) && !(saturates && std::fabs(value) > largestOf(type))) return Unit();
  const double largest = largestOf(type);
  return tooLarge(type, number, fmt::format("numbers up to {}", largest));
}

}  // namespace

Result<std::string> readString(std::string_view text) {
  text = trimmed(text);
  const auto refused = [](std::string_view what) { return fail("debug.literal", std::string(what)); };
  if (text.size() < 2 || (text[0] != '"' && text[0] != '\'') || text.back() != text[0])
    return refused("a string stands in quotation marks");
  const char mark = text[0];
  text = text.substr(1, text.size() - 2);
  constexpr std::pair<char, char> kEscapes[] = {{'\\', '\\'}, {'"', '"'},  {'\'', '\''}, {'n', '\n'},
                                                {'t', '\t'},  {'r', '\r'}, {'0', '\0'}};
  std::string read;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == mark) return refused("text follows the end of the string");
    if (text[at] != '\\') {
      read += text[at];
      continue;
    }
    const char next = ++at < text.size() ? text[at] : '\0';
    const auto* escape =
        at < text.size() ? std::ranges::find(kEscapes, next, &std::pair<char, char>::first) : std::end(kEscapes);
    if (escape != std::end(kEscapes)) {
      read += escape->second;
      continue;
    }
    unsigned code = 0;
    const std::string_view digits = next == 'x' ? text.substr(at + 1, 2) : std::string_view();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2 || code > 0x7f)
      return refused("behind a backslash stands one of \\ \" ' n t r 0, or x with two digits up to 7f");
    read += static_cast<char>(code);
    at += 2;
  }
  return read;
}

Result<DataType> readType(std::string_view text) {
  std::string_view name = trimmed(text);
  const bool quoted = name.size() >= 2 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0];
  if (quoted) name = name.substr(1, name.size() - 2);
  if (const auto type = DataType::parse(name); type && isStorable(*type)) return *type;
  return fail("debug.literal", fmt::format("`{}` is no type of elements", escapedForDisplay(text.substr(0, 80))));
}

size_t endOfItem(std::string_view text, size_t from) {
  int open = 0;
  for (; from < text.size(); ++from) {
    const char c = text[from];
    if (open == 0 && (c == ',' || c == ']')) return from;
    if (c == '[' || c == '(') ++open;
    if (c == ']' || c == ')') --open;
  }
  return from;
}

Result<Literal> readLiteral(std::string_view text, Environment& names) {
  text = trimmed(text);
  if (text.starts_with('[')) return ListReader(text, names).read();
  RX_TRY(number, readNumber(text, names));
  Literal literal;
  literal.numbers.push_back(number);
  return literal;
}

Result<Unit> writeNumber(DataType type, const Number& number, std::byte* to) {
  if (!isStorable(type)) return fail("debug.range", fmt::format("elements of type {} can not be written", type.str()));
  if (type.isIntegral()) return writeWhole(type, number, to);
  if (type.isFloat()) return writeReal(type, number, to);
  return fail("debug.range", fmt::format("elements of type {} are no numbers", type.str()));
}

Result<int64_t> wholeOf(const Number& number) {
  std::byte bytes[sizeof(int64_t)];
  RX_CHECK(writeWhole(DataType::Int(64), number, bytes));
  return readInt(DataType::Int(64), bytes);
}

Result<bool> truthOf(const Number& number) {
  std::byte byte{};
  RX_CHECK(writeWhole(DataType::Bool(), number, &byte));
  return byte != std::byte{0};
}

}  // namespace rx::debug
