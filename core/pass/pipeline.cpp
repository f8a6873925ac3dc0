#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/pass/literal.h"
#include "core/pass/names.h"
#include "core/pass/only.h"
#include "core/pass/options.h"
#include "core/pass/placed_call.h"

namespace rx::pass {

PassTable::PassTable(std::initializer_list<std::span<const PassRow>> layers) {
  for (std::span<const PassRow> rows : layers) rows_.insert(rows_.end(), rows.begin(), rows.end());
}

namespace {

class PipelineReader {
 public:
  PipelineReader(const PassTable& table, std::string_view text, std::string_view language)
      : table_(table), text_(text), language_(language) {}

  Result<std::vector<PlacedCall>> read() {
    std::vector<PlacedCall> calls;
    RX_CHECK(list(calls, 0));
    if (at_ < text_.size()) return fail(problem(at_, 1, "pass.syntax", "']' closes no list"));
    return calls;
  }

 private:
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  /// Spaces, and comments as in Python.
  void skipSpace() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '#')) {
      at_ = at('#') ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  /// Passes up to the end of the text, or to the bracket that ends a Sequential.
  Result<Unit> list(std::vector<PlacedCall>& calls, int depth) {
    while (skipSpace(), at_ < text_.size() && !at(']')) {
      const size_t begin = at_;
      const std::string_view passName = name();
      if (passName == "Sequential" || passName.ends_with(".Sequential")) {
        RX_CHECK(sequential(calls, begin, depth + 1));
      } else {
        at_ = begin;
        RX_TRY(call, one());
        if (*call.row->expandsTo) {
          // Its names mean passes of its own language, whatever module it is for.
          RX_TRY(steps, PipelineReader(table_, call.row->expandsTo, call.row->language).read());
          for (PlacedCall& step : steps) calls.push_back({std::move(step.call), spanFrom(begin)});
        } else {
          if (*call.row->gives) language_ = call.row->gives;
          calls.push_back({std::move(call), spanFrom(begin)});
        }
      }
      skipSpace();
      if (at(',')) {
        ++at_;
      } else if (at_ < text_.size() && !at(']')) {
        return fail(problem(at_, 1, "pass.syntax", "expected ',' between passes"));
      }
    }
    return Unit{};
  }

  /// `([A(), B()])`: a Sequential is its passes.
  Result<Unit> sequential(std::vector<PlacedCall>& calls, size_t begin, int depth) {
    if (depth > kMostNesting) return fail(problem(begin, 1, "pass.syntax", "Sequential is nested too deep"));
    RX_CHECK(expect('(', begin));
    RX_CHECK(expect('[', begin));
    RX_CHECK(list(calls, depth));
    RX_CHECK(expect(']', begin));
    return expect(')', begin);
  }

  Result<Unit> expect(char c, size_t begin) {
    skipSpace();
    if (!at(c)) {
      const size_t place = at_ < text_.size() ? at_ : begin;
      return fail(problem(place, 1, "pass.syntax", fmt::format("expected '{}' of Sequential([PASS, ...])", c)));
    }
    ++at_;
    return Unit{};
  }

  std::string_view name() {
    skipSpace();
    size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  Span spanFrom(size_t begin) const { return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_), 0}; }
  Diagnostic problem(size_t at, size_t length, std::string rule, std::string message) const {
    return errorAt({static_cast<uint32_t>(at), static_cast<uint32_t>(at + length), 0}, std::move(rule),
                   std::move(message));
  }

  Diagnostic unknownPass(std::string_view passName, size_t begin) const {
    Diagnostic unknown =
        problem(begin, passName.size(), "pass.unknown-name", fmt::format("no pass is named '{}'", passName));
    for (const PassRow& row : table_.rows()) {
      if (row.name != passName) continue;
      unknown.message = fmt::format("{} takes modules of the language {}", passName, row.language);
      return unknown;
    }
    unknown.fix = nearPass(table_, passName);
    return unknown;
  }

  Result<PassCall> one() {
    size_t begin = at_;
    std::string_view passName = name();
    if (passName.empty()) return fail(problem(at_, 1, "pass.syntax", "expected the name of a pass"));
    PassCall call;
    call.row = table_.find(passName, language_);
    if (!call.row) {
      return fail(unknownPass(passName, begin));
    }
    skipSpace();
    if (at('(')) {
      ++at_;
      RX_CHECK(options(call));
    }
    return call;
  }

  Result<Unit> options(PassCall& call) {
    while (true) {
      skipSpace();
      if (at(')')) {
        ++at_;
        return Unit{};
      }
      size_t begin = at_;
      std::string_view key = name();
      skipSpace();
      if (key.empty() || !at('=')) {
        return fail(problem(begin, 1, "pass.syntax", "expected option=value or ')'"));
      }
      ++at_;
      RX_TRY(value, readLiteral(text_, at_));
      RX_CHECK(accept(call, key, begin, value));
      call.options = ir::withAttr(call.options, key, value);
      skipSpace();
      if (at(',')) ++at_;
    }
  }

  Result<Unit> accept(const PassCall& call, std::string_view key, size_t begin, const NodeRef& value) const {
    if (const OptionSpec* spec = optionOf(*call.row, key)) {
      const char* form = misfit(spec->kind, value);
      if (!form || isa<ir::NullAttr>(value)) return Unit{};
      return fail(problem(begin, key.size(), "pass.option-kind",
                          fmt::format("{}: option '{}' takes {}", call.row->name, key, form)));
    }
    Diagnostic unknown =
        problem(begin, key.size(), "pass.unknown-option", fmt::format("{} has no option '{}'", call.row->name, key));
    for (const OptionSpec& spec : call.row->options)
      unknown.fix += fmt::format("{}{}", unknown.fix.empty() ? "its options: " : ", ", spec.name);
    return fail(std::move(unknown));
  }

  static constexpr int kMostNesting = 100;
  const PassTable& table_;
  std::string_view text_;
  std::string_view language_;
  size_t at_ = 0;
};

}  // namespace

std::string PassCall::text() const {
  std::string out = fmt::format("{}(", row->name);
  for (size_t i = 0; options && i < options->size(); ++i) {
    out += fmt::format("{}{}={}", i ? ", " : "", options->keys[i].view(), literalText(options->values[i]));
  }
  return out + ")";
}

Result<std::vector<PlacedCall>> parsePlacedPipeline(const PassTable& table, std::string_view text,
                                                    std::string_view language) {
  return PipelineReader(table, text, language).read();
}

Result<std::vector<PassCall>> parsePipeline(const PassTable& table, std::string_view text, std::string_view language) {
  RX_TRY(placed, parsePlacedPipeline(table, text, language));
  std::vector<PassCall> calls;
  for (PlacedCall& each : placed) calls.push_back(std::move(each.call));
  return calls;
}

}  // namespace rx::pass
