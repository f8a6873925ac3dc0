#include "core/analysis/pattern_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/analysis/pattern_builder.h"
#include "core/pass/literal.h"
#include "core/support/stack.h"

namespace rx::analysis {

namespace {

/// Binary operators, the loosest first, as Python binds them.
struct Operator {
  std::string_view text;
  PatternKind kind;  ///< of what it makes; of links nothing
  bool isLink;
  bool only;
};
constexpr Operator kOperators[] = {
    {"|", PatternKind::Or, false, false},
    {"^", PatternKind::Or, true, false},
    {"&", PatternKind::And, false, false},
    {">>", PatternKind::Or, true, true},
};

class PatternReader {
 public:
  PatternReader(std::string_view text, const PatternOperators& operators) : text_(text), builder_(operators) {}

  Result<DataflowPattern> read() {
    RX_TRY(value, expression());
    skipSpace();
    if (at_ != text_.size()) return problem("nothing can follow the pattern");
    DataflowPattern out = std::move(builder_.pattern);
    out.sequence = std::move(value.sequence);
    out.links = std::move(value.links);
    return out;
  }

 private:
  using Value = Result<PatternValue>;

  /// `name := pattern`, or a pattern.
  Value expression() {
    if (++depth_ > kMaxPatternNesting) {
      return problem(fmt::format("patterns nest deeper than {} levels", kMaxPatternNesting));
    }
    Value out = withStack([&]() -> Value {
      const size_t begin = at_;
      const std::string_view name = word();
      if (name.empty() || !take(":=")) {
        at_ = begin;
        return binary(std::begin(kOperators));
      }
      RX_TRY(value, binary(std::begin(kOperators)));
      if (value.sequence.size() != 1) return problem("only one pattern can have a name");
      builder_.pattern.names.emplace_back(Str(name), value.sequence[0]);
      return value;
    });
    --depth_;
    return out;
  }

  Value binary(const Operator* row) {
    if (row == std::end(kOperators)) return unary();
    RX_TRY(left, binary(row + 1));
    while (true) {
      skipSpace();
      const size_t begin = at_;
      if (!take(row->text)) return left;
      RX_TRY(right, binary(row + 1));
      if (row->isLink) {
        left = PatternBuilder::link(left, right, {row->only, -1});
      } else {
        RX_TRY(both, builder_.combine(row->kind, left, right, spanFrom(begin)));
        left = std::move(both);
      }
    }
  }

  Value unary() {
    size_t negations = 0;
    skipSpace();
    const size_t begin = at_;
    while (take("~")) ++negations;
    RX_TRY(value, postfix());
    for (; negations > 0; --negations) {
      RX_TRY(other, builder_.negate(value, spanFrom(begin)));
      value = std::move(other);
    }
    return value;
  }

  Value postfix() {
    skipSpace();
    const size_t begin = at_;
    RX_TRY(value, atom());
    while (true) {
      if (at('(')) {
        RX_TRY(args, arguments());
        RX_TRY(called, builder_.apply(value, args, spanFrom(begin)));
        value = std::move(called);
      } else if (take(".")) {
        skipSpace();
        const size_t nameBegin = at_;
        const std::string_view name = word();
        const Span place = spanFrom(nameBegin);
        if (!at('(')) return problem("a method is called with brackets");
        RX_TRY(args, arguments());
        RX_TRY(called, builder_.callMethod(value, name, args, place));
        value = std::move(called);
      } else if (take("[")) {
        RX_TRY(index, literal());
        const auto* number = as<ir::IntAttr>(index);
        if (!number || !take("]")) return problem("a field is chosen by one number in brackets");
        RX_TRY(part, builder_.field(value, number->value, spanFrom(begin)));
        value = std::move(part);
      } else {
        return value;
      }
    }
  }

  Value atom() {
    if (take("(")) {
      RX_TRY(value, expression());
      if (!take(")")) return problem("expected ')'");
      return value;
    }
    skipSpace();
    const size_t begin = at_;
    const std::string_view name = word();
    if (name.empty()) return problem("expected a pattern");
    if (const auto known = builder_.pattern.named(name)) return PatternValue{{*known}, {}};
    const Span place = spanFrom(begin);
    if (!at('(')) {
      return fail(errorAt(place, "pattern.unknown-name", fmt::format("no pattern before this is named {}", name)));
    }
    RX_TRY(args, arguments());
    return builder_.call(name, args, place);
  }

  Result<std::vector<PatternArgument>> arguments() {
    take("(");
    std::vector<PatternArgument> out;
    while (!take(")")) {
      RX_TRY(next, argument());
      out.push_back(std::move(next));
      if (!take(",") && !at(')')) return problem("expected ',' or ')'");
    }
    return out;
  }

  Result<PatternArgument> argument() {
    PatternArgument out;
    skipSpace();
    const size_t begin = at_;
    const std::string_view name = word();
    skipSpace();
    if (!name.empty() && text_.substr(at_).starts_with('=')) {
      ++at_;
      out.keyword = name;
    } else {
      at_ = begin;
    }
    RX_CHECK(argumentValue(out));
    out.span = spanFrom(begin);
    return out;
  }

  Result<Unit> argumentValue(PatternArgument& out) {
    if (isLiteral()) {
      RX_TRY(value, literal());
      out.literal = std::move(value);
      return Unit{};
    }
    if (!take("[")) return addValue(out);
    out.isList = true;
    while (!take("]")) {
      RX_CHECK(addValue(out));
      if (!take(",") && !at(']')) return problem("expected ',' or ']'");
    }
    return Unit{};
  }

  Result<Unit> addValue(PatternArgument& out) {
    RX_TRY(value, expression());
    out.values.push_back(std::move(value));
    return Unit{};
  }

  /// Whether a literal begins here: no function or named pattern begins like one.
  bool isLiteral() {
    skipSpace();
    std::string_view rest = text_.substr(at_);
    for (std::string_view known : {"None", "True", "False"}) {
      if (rest.starts_with(known)) return true;
    }
    while (!rest.empty() && (rest[0] == '[' || rest[0] == '(' || std::isspace(static_cast<unsigned char>(rest[0])))) {
      const bool opens = !std::isspace(static_cast<unsigned char>(rest[0]));
      rest.remove_prefix(1);
      if (opens && (rest.starts_with(']') || rest.starts_with(')'))) return true;
    }
    return !rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) ||
                             std::string_view("-\"'{").find(rest[0]) != std::string_view::npos);
  }

  Result<NodeRef> literal() {
    skipSpace();
    Result<NodeRef> value = pass::readLiteral(text_, at_);
    if (value) return value;
    std::vector<Diagnostic> problems = value.diagnostics();
    for (Diagnostic& found : problems) found.rule = "pattern.syntax";
    return fail(std::move(problems));
  }

  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at(char c) {
    skipSpace();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  /// A name; empty where none begins.
  std::string_view word() {
    skipSpace();
    size_t end = at_;
    auto isPart = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_'; };
    if (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) return {};
    while (end < text_.size() && isPart(end)) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  Span spanFrom(size_t begin) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(at_, begin + 1)), 0};
  }
  Failure problem(std::string message) const {
    const auto begin = static_cast<uint32_t>(std::min(at_, text_.size()));
    return fail(errorAt({begin, begin + 1, 0}, "pattern.syntax", std::move(message)));
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  PatternBuilder builder_;
};

}  // namespace

Result<DataflowPattern> readPattern(std::string_view text, const PatternOperators& operators) {
  return PatternReader(text, operators).read();
}

}  // namespace rx::analysis
