#include "core/pass/literal.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace rx::pass {

namespace {

/// Recursion is bounded by kMaxLiteralNesting.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, size_t& at) : text_(text), at_(at) {}

  Result<NodeRef> value(int depth) {
    skipSpace();
    if (depth > kMaxLiteralNesting) {
      return fail(problem(fmt::format("literals nest deeper than {} levels", kMaxLiteralNesting)));
    }
    if (at_ >= text_.size()) return fail(problem("a value is missing"));
    char c = text_[at_];
    if (c == '"' || c == '\'') return string();
    if (c == '[') return sequence(']', depth);
    if (c == '(') return sequence(')', depth);
    if (c == '{') return dictionary(depth);
    if (std::isalpha(static_cast<unsigned char>(c))) return word();
    return number();
  }

 private:
  Diagnostic problem(std::string message) const {
    uint32_t at = static_cast<uint32_t>(std::min(at_, text_.size()));
    return errorAt({at, at + 1, 0}, "pass.syntax", std::move(message));
  }
  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<NodeRef> word() {
    struct Word {
      std::string_view text;
      NodeRef (*make)();
    };
    static constexpr Word kWords[] = {{"None", [] { return ir::nullAttr(); }},
                                      {"True", [] { return ir::boolAttr(true); }},
                                      {"False", [] { return ir::boolAttr(false); }}};
    for (const Word& word : kWords) {
      if (text_.substr(at_).starts_with(word.text)) {
        at_ += word.text.size();
        return word.make();
      }
    }
    return fail(problem("this name is not a literal; only None, True and False are"));
  }

  Result<NodeRef> number() {
    size_t end = at_;
    auto part = [&](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == 'e' || c == 'E' ||
             ((c == '-' || c == '+') && (end == at_ || text_[end - 1] == 'e' || text_[end - 1] == 'E'));
    };
    while (end < text_.size() && part(text_[end])) ++end;
    std::string_view digits = text_.substr(at_, end - at_);
    bool real = digits.find_first_of(".eE") != std::string_view::npos;
    int64_t integer = 0;
    double floating = 0;
    const char* last = digits.data() + digits.size();
    auto read = real ? std::from_chars(digits.data(), last, floating) : std::from_chars(digits.data(), last, integer);
    if (digits.empty() || read.ec != std::errc() || read.ptr != last) return fail(problem("expected a value"));
    at_ = end;
    return real ? ir::floatAttr(floating) : ir::intAttr(integer);
  }

  Result<NodeRef> string() {
    char quote = text_[at_];
    std::string out;
    size_t i = at_ + 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      if (text_[i] == '\\' && i + 1 < text_.size()) {
        char escaped = text_[++i];
        out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
      } else {
        out += text_[i];
      }
    }
    if (i >= text_.size()) return fail(problem("a text is not closed"));
    at_ = i + 1;
    return ir::strAttr(out);
  }

  Result<NodeRef> sequence(char close, int depth) {
    ++at_;
    std::vector<NodeRef> items;
    while (!take(close)) {
      RX_TRY(item, value(depth + 1));
      items.push_back(std::move(item));
      if (!take(',') && !at(close)) return fail(problem(fmt::format("expected ',' or '{}'", close)));
    }
    return ir::arrayAttr(std::move(items));
  }

  Result<NodeRef> dictionary(int depth) {
    ++at_;
    std::vector<std::pair<Str, NodeRef>> entries;
    while (!take('}')) {
      RX_TRY(key, value(depth + 1));
      const auto* name = as<ir::StrAttr>(key);
      if (!name) return fail(problem("keys of a dictionary are texts"));
      if (!take(':')) return fail(problem("expected ':' after a key"));
      RX_TRY(item, value(depth + 1));
      entries.emplace_back(name->value, std::move(item));
      if (!take(',') && !at('}')) return fail(problem("expected ',' or '}'"));
    }
    return NodeRef(make<ir::DictAttrs>(entries));
  }

  bool at(char c) {
    skipSpace();
    return at_ < text_.size() && text_[at_] == c;
  }

  std::string_view text_;
  size_t& at_;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string realText(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".eni") == std::string::npos ? text + ".0" : text;
}

}  // namespace

Result<NodeRef> readLiteral(std::string_view text, size_t& at) { return LiteralReader(text, at).value(0); }

std::string literalText(const NodeRef& value) {
  if (const auto* truth = as<ir::BoolAttr>(value)) return truth->value ? "True" : "False";
  if (const auto* integer = as<ir::IntAttr>(value)) return fmt::format("{}", integer->value);
  if (const auto* real = as<ir::FloatAttr>(value)) return realText(real->value);
  if (const auto* text = as<ir::StrAttr>(value)) return quoted(text->value);
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::string out = "[";
    for (const NodeRef& item : list->items) out += (out.size() > 1 ? ", " : "") + literalText(item);
    return out + "]";
  }
  if (const auto* dict = as<ir::DictAttrs>(value)) {
    std::string out = "{";
    for (size_t i = 0; i < dict->size(); ++i) {
      out += (i ? ", " : "") + quoted(dict->keys[i]) + ": " + literalText(dict->values[i]);
    }
    return out + "}";
  }
  return "None";
}

}  // namespace rx::pass
