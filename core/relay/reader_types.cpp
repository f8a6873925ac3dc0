#include "core/relay/dims.h"
#include "core/relay/reader.h"

namespace rx::relay {

Type Reader::type() {
  return nested([&] { return typeInner(); });
}

Type Reader::typeInner() {
  if (at(Tok::LParen)) {
    std::vector<Type> items;
    list(Tok::LParen, Tok::RParen, "'('", [&] { items.push_back(type()); });
    return make<TupleType>(Array<Type>(std::move(items)));
  }
  if (takeWord("_")) return make<IncompleteType>();
  if (takeWord("fn")) return functionType();
  if (takeWord("ref")) {
    expect(Tok::LParen, "'('");
    Type value = type();
    expect(Tok::RParen, "')'");
    return make<RefType>(std::move(value));
  }
  if (at(Tok::Meta)) {
    const auto value = meta();
    const Type known = value ? refAs<TypeNode>(value->value) : nullptr;
    return known ? known : make<IncompleteType>();
  }
  return namedType();
}

Type Reader::functionType() {
  const size_t outer = typeVars_.size();
  std::vector<Ref<TypeVar>> params = typeParameters();
  std::vector<Type> args;
  list(Tok::LParen, Tok::RParen, "'('", [&] { args.push_back(type()); });
  expect(Tok::Arrow, "'->'");
  Type result = type();
  typeVars_.resize(outer);
  return make<FuncType>(Array<Ref<TypeVar>>(std::move(params)), Array<Type>(std::move(args)), std::move(result));
}

Type Reader::namedType() {
  const Token token = peek();
  if (!expect(Tok::Name, "a type")) return nullptr;
  const std::string_view name = textOf(token);
  if (name == "Tensor" && at(Tok::LBracket)) {
    take(Tok::LBracket);
    Array<tir::PrimExpr> dims = shape();
    expect(Tok::Comma, "','");
    const Token element = peek();
    expect(Tok::Name, "an element type");
    const auto dtype = DataType::parse(textOf(element));
    if (!dtype)
      return error(spanOf(element), "relay.dtype", "'" + std::string(textOf(element)) + "' is no element type");
    expect(Tok::RBracket, "']'");
    return make<TensorType>(std::move(dims), *dtype);
  }
  for (auto it = typeVars_.rbegin(); it != typeVars_.rend(); ++it) {
    if (it->first == name) return it->second;
  }
  static constexpr std::string_view kElements[] = {"int", "uint", "float", "bool", "bfloat"};
  for (std::string_view element : kElements) {
    // `int` alone is int32, as everywhere in the text.
    const auto dtype = !name.starts_with(element) ? std::nullopt
                       : name == "int"            ? DataType::Int(32)
                       : name == "float"          ? DataType::Float(32)
                       : name == "uint"           ? DataType::UInt(32)
                                                  : DataType::parse(name);
    if (dtype && !typeNames_.contains(name)) return scalarType(*dtype);
  }
  Ref<GlobalTypeVar>& header = typeNames_[name];
  if (!header) header = make<GlobalTypeVar>(Str(name));
  const Ref<GlobalTypeVar> type = header;
  std::vector<Type> args;
  if (at(Tok::LBracket)) list(Tok::LBracket, Tok::RBracket, "'['", [&] { args.push_back(this->type()); });
  return make<TypeCall>(type, Array<Type>(std::move(args)));
}

Array<tir::PrimExpr> Reader::shape() {
  std::vector<tir::PrimExpr> dims;
  list(Tok::LParen, Tok::RParen, "'('", [&] { dims.push_back(dimension()); });
  return Array<tir::PrimExpr>(std::move(dims));
}

tir::PrimExpr Reader::dimension() {
  if (take(Tok::Question)) return nullptr;
  if (at(Tok::Meta)) {
    const auto value = meta();
    return value ? refAs<tir::ExprNode>(value->value) : nullptr;
  }
  if (at(Tok::Minus)) return error(spanOf(peek()), "relay.dimension", "a dimension is no negative number");
  const Token token = peek();
  if (!expect(Tok::Number, "a dimension")) return nullptr;
  const std::string_view word = textOf(token);
  const auto extent = wholeNumber(std::string(word), spanOf(token), "relay.dimension");
  if (!extent) return nullptr;
  return word.ends_with(kWideSuffix) ? wideDim(*extent) : dim(*extent);
}

Type Reader::statedType() {
  const auto hit = stated_.find(static_cast<uint32_t>(at_));
  if (hit == stated_.end()) return nullptr;
  std::vector<Diagnostic> ignored;
  // The words of the comment take the place of the text's for a moment.
  std::vector<Token> tokens = tokenize(text_, hit->second, ignored).tokens;
  std::swap(tokens, tokens_);
  const size_t place = std::exchange(at_, 0);
  const size_t findings = diagnostics_.size();
  Type stated = type();
  std::swap(tokens, tokens_);
  at_ = place;
  if (failed_) {  // a comment is never an error
    failed_ = false;
    diagnostics_.resize(findings);
    return nullptr;
  }
  return stated;
}

}  // namespace rx::relay
