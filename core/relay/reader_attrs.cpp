#include <fmt/format.h>

#include <charconv>

#include "core/relay/dims.h"
#include "core/relay/reader.h"
#include "core/support/nearest.h"

namespace rx::relay {

bool Reader::atAttribute() const {
  if (!at(Tok::Name)) return false;
  size_t ahead = 1;
  while (peek(ahead).kind == Tok::Dot && peek(ahead + 1).kind == Tok::Name) ahead += 2;
  return peek(ahead).kind == Tok::Assign;
}

ir::Attrs Reader::attributes() {
  std::vector<std::pair<Str, NodeRef>> entries;
  std::unordered_map<std::string, Span> statedAt;
  while (!failed_ && at(Tok::Name)) {
    const uint32_t begin = here();
    const std::string key = dottedName();
    const auto [first, isNew] = statedAt.try_emplace(key, spanFrom(begin));
    if (!isNew) redefined(spanFrom(begin), first->second, "a second attribute '" + key + "'");
    if (!expect(Tok::Assign, "'='")) break;
    NodeRef value = attributeValue();
    if (failed_) break;
    entries.emplace_back(Str(key), std::move(value));
    if (peek(1).kind == Tok::RParen && at(Tok::Comma)) break;  // of the list that they are in
    if (!at(Tok::Name) && !(at(Tok::Comma) && peek(1).kind == Tok::Name)) break;
    take(Tok::Comma);
  }
  return make<ir::DictAttrs>(entries);
}

NodeRef Reader::attributeValue() {
  return nested([&]() -> NodeRef {
    const Token token = peek();
    if (take(Tok::String)) {
      std::string text(textOf(token).substr(1, token.end - token.begin - 2));
      for (size_t quote = 0; (quote = text.find("\\\"", quote)) != std::string::npos; ++quote) text.erase(quote, 1);
      return ir::strAttr(Str(text));
    }
    if (at(Tok::LBracket)) {
      std::vector<NodeRef> items;
      list(Tok::LBracket, Tok::RBracket, "'['", [&] {
        const bool isWide = textOf(peek(at(Tok::Minus) ? 1 : 0)).ends_with(kWideSuffix);
        NodeRef item = attributeValue();
        const auto* whole = isWide ? as<ir::IntAttr>(item) : nullptr;  // of a shape, whose numbers have a width
        items.push_back(whole ? NodeRef(wideDim(whole->value)) : std::move(item));
      });
      return ir::arrayAttr(std::move(items));
    }
    if (takeWord("True") || takeWord("False")) return ir::boolAttr(textOf(token) == "True");
    if (takeWord("None") || takeWord("nullptr")) return ir::nullAttr();
    if (take(Tok::Question)) return ir::strAttr("?");
    if (at(Tok::Meta)) {
      const auto value = meta();
      if (!value) return nullptr;
      if (value->key == "relay.Constant") return constantOf(*value, token.begin);
      return value->value ? value->value : unresolved(*value, token.begin);
    }
    if (at(Tok::Number) || at(Tok::Minus) || atWord("inff") || atWord("nanf")) {
      const bool negative = take(Tok::Minus);
      const std::string word = (negative ? "-" : "") + std::string(textOf(peek()));
      ++at_;
      const size_t suffix = word.find_first_of("if");
      const std::string digits = word.substr(0, suffix);
      const bool isReal = word.find_first_of(".f") != std::string::npos || digits.find('e') != std::string::npos;
      if (isReal) return ir::floatAttr(std::strtod((suffix == 0 || digits == "-" ? word : digits).c_str(), nullptr));
      const auto whole = wholeNumber(digits, spanFrom(token.begin), "relay.number");
      return whole ? ir::intAttr(*whole) : nullptr;
    }
    const Expr written = postfix();
    if (!written || isa<Constant>(written)) return written;
    return error(spanFrom(token.begin), "relay.attribute",
                 "an attribute is no expression, but a number, a text or a list");
  });
}

Ref<Constant> Reader::unresolved(const MetaValue& meta, uint32_t begin) {
  ++missing_;
  auto* made = new Constant(nullptr);
  made->unresolved = Str(meta.text);
  return placed(made, begin);
}

std::optional<Reader::MetaValue> Reader::meta() {
  const uint32_t begin = here();
  take(Tok::Meta);
  expect(Tok::LBracket, "'['");
  MetaValue out;
  if (at(Tok::Name)) out.key = dottedName();
  expect(Tok::RBracket, "']'");
  expect(Tok::LBracket, "'['");
  const Token number = peek();
  expect(Tok::Number, "an index");
  expect(Tok::RBracket, "']'");
  if (failed_) return std::nullopt;
  uint64_t index = 0;
  std::from_chars(text_.data() + number.begin, text_.data() + number.end, index);
  out.text = "meta[" + out.key + "][" + std::to_string(index) + "]";
  if (index >= kMostMetadata) {
    error(spanFrom(begin), "relay.metadata", "no metadata has " + out.text);
    return std::nullopt;
  }
  if (metadataText_.empty()) {
    // Kinds of objects have a dot or are names of classes.
    if (out.key.find('.') == std::string::npos && !(out.key[0] >= 'A' && out.key[0] <= 'Z')) {
      error(spanFrom(begin), "relay.metadata", "the text has no metadata, and nothing is known of " + out.text);
      return std::nullopt;
    }
    out.missing = true;
    return out;
  }
  if (!metadata_) {
    metadata_.emplace();
    Result<Metadata> read = readMetadata(metadataText_);
    if (!read) {
      Diagnostic found = read.diagnostics().front();
      found.span = found.span.known() ? Span{metadataBegin_ + found.span.begin, metadataBegin_ + found.span.end, 0}
                                      : Span{metadataBegin_, metadataBegin_, 0};
      error(found.span, found.rule, found.message);
      metadataLost_ = true;
      return std::nullopt;
    }
    metadata_ = std::move(*read);
  }
  const auto list = metadata_->find(out.key);
  if (list == metadata_->end() || index >= list->second.size()) {
    if (!metadataLost_) error(spanFrom(begin), "relay.metadata", "the metadata has no " + out.text);
    failed_ = true;
    return std::nullopt;
  }
  out.value = list->second[index];
  return out;
}

Expr Reader::constantOf(const MetaValue& meta, uint32_t begin) {
  if (const auto constant = refAs<Constant>(meta.value)) return constant;
  if (meta.value || meta.key != "relay.Constant") {
    return error(spanFrom(begin), "relay.metadata", meta.text + " is no expression");
  }
  // One object a reference, of the type that the printer stated.
  const std::string_view spelt = text_.substr(begin, spanFrom(begin).end - begin);
  Expr& known = missingConstants_[spelt];
  if (!known) {
    known = unresolved(meta, begin);
    const_cast<relax::ExprNode*>(known.get())->sinfo = statedType();  // no other knows it yet
  }
  return known;
}

/// `{virtual_device=meta[VirtualDevice][0]}`
NodeRef Reader::virtualDevice() {
  take(Tok::LBrace);
  const ir::Attrs attrs = attributes();
  expect(Tok::RBrace, "'}'");
  return ir::attrOf(attrs, "virtual_device");
}

namespace {

/// What a value of a field has to be and is not; empty where it fits. References to metadata that is missing, and what
/// has no plain form, are not known to be wrong.
std::string_view wantedInstead(FieldForm form, const NodeRef& value) {
  const auto* text = as<ir::StrAttr>(value);
  if (isa<ir::NullAttr>(value)) return {};
  const bool isNumber = isa<ir::IntAttr>(value) || isa<ir::BoolAttr>(value) || isa<ir::FloatAttr>(value);
  const bool isPlain = isNumber || text || isa<ir::ArrayAttr>(value);
  switch (form) {
    case FieldForm::Node:
      return {};
    case FieldForm::Text:
      return isPlain && !text ? "a text" : "";
    case FieldForm::Type:
      return isPlain && (!text || (!text->value.empty() && !DataType::parse(text->value.view()))) ? "an element type"
                                                                                                  : "";
    default:
      return isPlain && !isNumber ? "a number" : "";
  }
}

}  // namespace

void Reader::checkAttributes(const AttrSchema& schema, const ir::Attrs& attrs, std::string_view op, Span span) {
  if (ir::attrOf(attrs, kUnresolvedAttrs)) return;
  for (size_t i = 0; attrs && i < attrs->size(); ++i) {
    const std::string_view name = attrs->keys[i].view();
    if (const AttrField* field = schema.find(name)) {
      const std::string_view wanted = wantedInstead(field->form, attrs->values[i]);
      if (wanted.empty()) continue;
      finding(span, "relay.attribute", fmt::format("the attribute '{}' of {} has to be {}", name, op, wanted));
      continue;
    }
    Nearest nearest(name);
    for (const AttrField& field : schema.fields) nearest.offer(field.name);
    finding(span, "relay.unknown-attribute", std::string(op) + " has no attribute '" + std::string(name) + "'",
            nearest.fix());
  }
  for (const AttrField& field : schema.fields) {
    if (field.fallback || ir::attrOf(attrs, field.name)) continue;
    if (!attrs || attrs->size() == 0) continue;  // a call that states none of them is refused where it is typed
    finding(span, "relay.missing-attribute",
            std::string(op) + " needs its attribute '" + std::string(field.name) + "'");
  }
}

}  // namespace rx::relay
