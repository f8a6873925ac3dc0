#include "core/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "core/expression/operators.h"
#include "core/expression/words.h"
#include "core/support/utf16.h"

namespace rx::debug {

namespace {

bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

Failure wrongAt(size_t begin, size_t end, std::string why) {
  Failure failure = fail("debug.expression", std::move(why));
  failure.diagnostics.front().span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), Span::kNone};
  return failure;
}

/// What the environment or an operator says is about a part of the expression.
Result<Quantity> at(size_t begin, size_t end, Result<Quantity> result) {
  if (result) return result;
  Failure failure = result.failure();
  Span& span = failure.diagnostics.front().span;
  if (span.end == 0) span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), Span::kNone};
  return failure;
}

/// Parses and evaluates in one go; with a null environment it only parses. Depth is bounded by kMaxExpressionDepth.
class Evaluator {
 public:
  Evaluator(std::string_view text, Environment* environment) : text_(text), environment_(environment) {}

  Result<Quantity> run() {
    if (text_.size() > kMaxExpressionLength) return wrongAt(0, text_.size(), "the expression is too long");
    RX_TRY(value, level(0));
    skipSpace();
    if (at_ != text_.size()) return unexpected();
    return value;
  }
  /// The left side of the comparison that was evaluated last, which is the outermost one.
  std::optional<Quantity> compared() const { return compared_; }

 private:
  Failure unexpected() const {
    if (at_ >= text_.size()) return wrongAt(text_.size(), text_.size(), "the expression ends too early");
    return wrongAt(at_, std::min(at_ + 8, text_.size()),
                   fmt::format("unexpected `{}` at column {}", escapedForDisplay(text_.substr(at_, 8)),
                               utf16Length(text_.substr(0, at_)) + 1));
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
    for (const Operator& op : operators())
      if (take(op.text)) {
        if (op.level == level) return &op;
        at_ -= op.text.size();
        return nullptr;
      }
    return nullptr;
  }

  /// Levels: 0 or, 1 and, then those of the operators, then unary.
  Result<Quantity> level(int n) {
    if (n > kProduct) return unary();
    if (++depth_ > kMaxExpressionDepth * (kProduct + 1)) return wrongAt(at_, at_, "the expression nests too deep");
    skipSpace();
    const size_t begin = at_;
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
        RX_TRY(combined, at(begin, at_, applyOperator(*op, left, right)));
        if (n == kCompare) compared_ = left;
        left = std::move(combined);
      }
      if (n == kCompare) break;
    }
    --depth_;
    return left;
  }

  Result<Quantity> unary() {
    skipSpace();
    const size_t begin = at_;
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
    for (; !signs.empty() && environment_; signs.pop_back()) {
      if (signs.back() == '!') {
        value = Quantity(!truthOf(value));
      } else {
        RX_TRY(opposite, at(begin, at_, negated(value)));
        value = std::move(opposite);
      }
    }
    return value;
  }

  Result<Quantity> postfix() {
    skipSpace();
    const size_t begin = at_;
    RX_TRY(value, primary());
    for (;;) {
      if (take("[")) {
        RX_TRY(part, element(begin, value));
        value = std::move(part);
      } else if (take(".")) {
        RX_TRY(part, member(begin, value));
        value = std::move(part);
      } else {
        return value;
      }
    }
  }

  Result<Quantity> element(size_t begin, const Quantity& value) {
    std::vector<int64_t> index;
    do {
      skipSpace();
      const size_t from = at_;
      RX_TRY(part, level(0));
      auto number = integerOf(part);
      if (!number && environment_) return wrongAt(from, at_, "an index is an integer");
      index.push_back(number.value_or(0));
    } while (take(","));
    if (!take("]")) return unexpected();
    if (!environment_) return value;
    const auto* handle = std::get_if<Handle>(&value);
    if (!handle) return wrongAt(begin, at_, "only tensors, shapes and tuples have elements");
    return at(begin, at_, environment_->element(*handle, index));
  }

  Result<Quantity> member(size_t begin, const Quantity& value) {
    skipSpace();
    const size_t from = at_;
    std::string_view word = name();
    if (word.empty()) return unexpected();
    if (!environment_) return value;
    const auto* handle = std::get_if<Handle>(&value);
    if (!handle) return wrongAt(begin, at_, "a number has no members");
    return at(from, at_, environment_->member(*handle, word));
  }

  /// The arguments of a function whose name was read and that lies from `begin` on.
  Result<Quantity> call(size_t begin, std::string_view name) {
    const Word* word = expressionWord(name, false);
    if (!word) return wrongAt(begin, begin + name.size(), unknownFunction(name));
    std::vector<Quantity> arguments;
    do {
      RX_TRY(argument, level(0));
      arguments.push_back(std::move(argument));
    } while (take(","));
    if (!take(")")) return unexpected();
    const auto count = static_cast<int>(arguments.size());
    if (count < word->least || count > word->most)
      return wrongAt(begin, at_, fmt::format("`{}` does not take {} values: {}", name, count, word->form));
    if (!environment_) return arguments.front();
    const auto* handle = std::get_if<Handle>(&arguments.front());
    return at(begin, at_, handle && count == 1 ? environment_->apply(name, *handle) : applyFunction(name, arguments));
  }

  static std::string unknownFunction(std::string_view name) {
    std::string all;
    for (const Word& word : expressionWords())
      if (word.least > 0) all += (all.empty() ? "" : ", ") + std::string(word.name);
    return fmt::format("there is no function `{}`; there are {}", escapedForDisplay(name.substr(0, 80)), all);
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
    if (c == '"' || c == '\'') return quoted(c);
    size_t begin = at_;
    if (c == '%') {  // a register, or a name of a language that writes its names so
      ++at_;
      while (at_ < text_.size() && (isDigit(text_[at_]) || isNameStart(text_[at_]))) ++at_;
      if (at_ == begin + 1) return unexpected();
    } else if (name().empty()) {
      return unexpected();
    }
    std::string_view found = text_.substr(begin, at_ - begin);
    if (found == "True" || found == "true") return Quantity(true);
    if (found == "False" || found == "false") return Quantity(false);
    if (c != '%' && take("(")) return call(begin, found);
    if (!environment_) return Quantity(int64_t{0});
    return at(begin, begin + found.size(), environment_->lookUp(found));
  }

  Result<Quantity> quoted(char quote) {
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return wrongAt(at_, text_.size(), "a text is not closed");
    std::string content(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return Quantity(std::move(content));
  }

  Result<Quantity> number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    int64_t integer = 0;
    auto whole = std::from_chars(begin, end, integer);
    double real = 0;
    auto fraction = std::from_chars(begin, end, real);
    const auto length = static_cast<size_t>(fraction.ptr - begin);
    if (fraction.ec != std::errc()) return wrongAt(at_, at_ + length, "a number is out of range");
    at_ += length;
    if (whole.ec == std::errc() && whole.ptr == fraction.ptr) return Quantity(integer);
    return Quantity(real);
  }

  std::string_view text_;
  Environment* environment_;
  std::optional<Quantity> compared_;
  size_t at_ = 0;
  int depth_ = 0;
};

/// The next `{expression}` of a log message: bytes of the expression; nothing when there is no more.
std::optional<std::pair<size_t, size_t>> nextPart(std::string_view message, size_t from) {
  const size_t open = message.find('{', from);
  const size_t close = open == std::string_view::npos ? open : message.find('}', open);
  if (close == std::string_view::npos) return {};
  return std::pair(open + 1, close);
}

}  // namespace

Result<Quantity> evaluate(std::string_view text, Environment& environment, std::optional<Quantity>* compared) {
  Evaluator evaluator(text, &environment);
  Result<Quantity> value = evaluator.run();
  if (compared) *compared = evaluator.compared();
  return value;
}

Result<Unit> checkExpression(std::string_view text) {
  RX_CHECK(Evaluator(text, nullptr).run());
  return Unit();
}

bool truthOf(const Quantity& quantity) {
  if (auto number = numberOf(quantity)) return *number != 0;
  if (const auto* text = std::get_if<std::string>(&quantity)) return !text->empty();
  return true;
}

namespace {

/// "512 B", "401408 B (392 KiB)": the exact count, and what it is about.
std::string bytesText(int64_t count) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (std::abs(static_cast<double>(count)) < 1024) return fmt::format("{} B", count);
  double size = static_cast<double>(count) / 1024;
  size_t unit = 0;
  for (; std::abs(size) >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return fmt::format("{} B ({:.4g} {})", count, size, kUnits[unit]);
}

}  // namespace

std::string quantityText(const Quantity& quantity) {
  struct Text {
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(Handle h) const { return fmt::format("value {}", h.id); }
    std::string operator()(Bytes b) const { return bytesText(b.count); }
  };
  return std::visit(Text(), quantity);
}

std::string interpolate(std::string_view message, Environment& environment) {
  std::string out;
  size_t from = 0;
  while (const auto part = nextPart(message, from)) {
    out += message.substr(from, part->first - 1 - from);
    Result<Quantity> value = evaluate(message.substr(part->first, part->second - part->first), environment);
    out += value ? quantityText(*value) : "{" + value.diagnostics().front().message + "}";
    from = part->second + 1;
  }
  return out.append(message.substr(from));
}

Result<Unit> checkLogMessage(std::string_view message) {
  size_t from = 0;
  while (const auto part = nextPart(message, from)) {
    auto checked = checkExpression(message.substr(part->first, part->second - part->first));
    if (!checked) {
      Failure failure = checked.failure();
      Span& span = failure.diagnostics.front().span;
      span.begin += static_cast<uint32_t>(part->first);
      span.end += static_cast<uint32_t>(part->first);
      return failure;
    }
    from = part->second + 1;
  }
  return Unit();
}

}  // namespace rx::debug
