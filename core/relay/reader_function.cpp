#include "core/relay/reader.h"
#include "core/support/nearest.h"

namespace rx::relay {

/// Attributes of a function lay in a map of metadata before they were written one by one.
static ir::Attrs withoutDict(ir::Attrs attrs) {
  constexpr std::string_view kDict = "__dict__";
  const auto dict = refAs<ir::DictAttrs>(ir::attrOf(attrs, kDict));
  if (!dict) return attrs;
  attrs = ir::withoutAttr(attrs, kDict);
  for (size_t i = 0; i < dict->size(); ++i) attrs = ir::withAttr(attrs, dict->keys[i], dict->values[i]);
  return attrs;
}

FunctionRef Reader::function(uint32_t begin) {
  const size_t scope = mark(), outerTypes = typeVars_.size();
  together_ = scope;
  std::vector<Ref<TypeVar>> typeParams = typeParameters();
  std::vector<VarRef> params;
  ir::Attrs attrs;
  list(Tok::LParen, Tok::RParen, "'('", [&] {
    if (at(Tok::Name)) {
      attrs = withoutDict(attributes());
    } else {
      params.push_back(parameter());
    }
  });
  NodeRef device = ir::attrOf(attrs, "virtual_device");
  if (device) attrs = ir::withoutAttr(attrs, "virtual_device");
  Type result = take(Tok::Arrow) ? type() : nullptr;
  Expr body = block();
  unbind(scope);
  typeVars_.resize(outerTypes);
  if (failed_) return nullptr;
  auto* made = new Function(Array<VarRef>(std::move(params)), body, isa<IncompleteType>(result) ? nullptr : result,
                            Array<Ref<TypeVar>>(std::move(typeParams)), attrs && attrs->size() ? attrs : nullptr);
  made->virtualDevice = device;
  return placed(made, begin);
}

VarRef Reader::parameter() {
  const NamedVar named = variable("a parameter");
  if (!named.var) return nullptr;
  const Local& known = locals_[named.name];
  if (known.var && known.at >= together_) {
    return redefined(named.var->span, known.var->span, "a second variable %" + named.var->name.string());
  }
  bind(named);
  return named.var;
}

/// `%x {virtual_device=...}: T`
Reader::NamedVar Reader::variable(const char* what) {
  const Token token = peek();
  if (!expect(Tok::Local, what)) return {};
  NodeRef device = at(Tok::LBrace) ? virtualDevice() : nullptr;
  Type annotation = take(Tok::Colon) ? type() : nullptr;
  if (failed_) return {};
  if (isa<IncompleteType>(annotation)) annotation = nullptr;
  const script::NameId name = names_.intern(textOf(token).substr(1));
  if (name >= locals_.size()) locals_.resize(name + 1);
  auto* var = new Var(names_.str(name), annotation, device);
  var->span = spanOf(token);
  return {VarRef(var), name};
}

Expr Reader::block() {
  if (!expect(Tok::LBrace, "'{'")) return nullptr;
  const size_t scope = mark();
  Expr body = sequence();
  unbind(scope);
  expect(Tok::RBrace, "'}' at the end of the block");
  return body;
}

void Reader::freeVar() {
  const VarRef var = variable("a free variable").var;
  if (var) freeVars_[var->name.view()] = var;
  take(Tok::Semicolon);
}

void Reader::graphBinding() {
  const Token name = peek();
  take(Tok::Graph);
  take(Tok::Assign);
  Expr value = letValue();
  if (failed_) return;
  if (!take(Tok::Semicolon)) return void(unexpected("';'"));
  GraphEntry& entry = graphEntry(name);
  if (entry.expr && entry.function == functionNumber_) {
    return void(redefined(spanOf(name), entry.place, "a second binding of " + std::string(textOf(name))));
  }
  entry = {value, functionNumber_, spanOf(name)};
}

/// What follows `=`: an expression, a block, or bindings with their value.
Expr Reader::letValue() {
  if (at(Tok::LBrace)) return nested([&] { return block(); });
  return atWord("let") ? sequence(true) : expression();
}

/// Bindings, statements and a value; as the value of a binding it ends before the semicolon that ends that.
Expr Reader::sequence(bool isValue) {
  return nested([&]() -> Expr {
    struct Binding {
      VarRef var;
      Expr value;
      uint32_t begin;
    };
    const size_t scope = mark();
    std::vector<Binding> bindings;
    Expr result;
    while (!failed_) {
      const uint32_t begin = here();
      if (takeWord("free_var")) {
        freeVar();
      } else if (at(Tok::Graph) && peek(1).kind == Tok::Assign) {
        graphBinding();
      } else if (takeWord("let")) {
        const NamedVar named = variable("a variable, as %x");
        expect(Tok::Assign, "'='");
        // A function sees its own name, other values see what the name meant before.
        size_t ahead = 0;
        while (peek(ahead).kind == Tok::LParen) ++ahead;
        const bool recursive = atWord("fn", ahead);
        if (named.var && recursive) bind(named);
        Expr value = letValue();
        expect(Tok::Semicolon, "';'");
        if (named.var && !recursive) bind(named);
        bindings.push_back({named.var, std::move(value), begin});
      } else {
        Expr value = letValue();
        if (isValue || !take(Tok::Semicolon)) {
          result = value;
          break;
        }
        if (at(Tok::RBrace) || at(Tok::End)) {  // a last one that ends as the others do
          result = value;
          break;
        }
        bindings.push_back({make<Var>(Str("_"), nullptr), value, begin});
      }
    }
    unbind(scope);
    if (failed_) return nullptr;
    for (auto it = bindings.rbegin(); it != bindings.rend(); ++it) {
      result = placed(new Let(it->var, it->value, result), it->begin);
    }
    return result;
  });
}

Expr Reader::ifExpr() {
  const uint32_t begin = here();
  takeWord("if");
  expect(Tok::LParen, "'('");
  Expr cond = expression();
  expect(Tok::RParen, "')'");
  Expr then = block();
  if (!takeWord("else")) return unexpected("'else'");
  Expr other = atWord("if") ? nested([&] { return ifExpr(); }) : block();
  return failed_ ? nullptr : placed(new If(cond, then, other), begin);
}

Expr Reader::match() {
  const uint32_t begin = here();
  takeWord("match");
  const bool complete = !take(Tok::Question);
  Expr data = nested([&] { return postfix(); });
  std::vector<Ref<Clause>> clauses;
  list(Tok::LBrace, Tok::RBrace, "'{'", [&] { clauses.push_back(clause()); });
  if (failed_) return nullptr;
  return placed(new Match(data, Array<Ref<Clause>>(std::move(clauses)), complete), begin);
}

Ref<Clause> Reader::clause() {
  const size_t scope = mark();
  together_ = scope;
  Pattern lhs = pattern();
  expect(Tok::FatArrow, "'=>'");
  Expr value = letValue();
  unbind(scope);
  return failed_ ? nullptr : make<Clause>(lhs, value);
}

Pattern Reader::pattern() {
  return nested([&] { return patternInner(); });
}

Pattern Reader::patternInner() {
  const uint32_t begin = here();
  if (takeWord("_")) return placed(new PatternWildcard(), begin);
  if (at(Tok::Local)) {
    VarRef var = parameter();
    return var ? placed(new PatternVar(var), begin) : nullptr;
  }
  std::vector<Pattern> parts;
  auto part = [&] { parts.push_back(pattern()); };
  if (at(Tok::LParen)) {
    list(Tok::LParen, Tok::RParen, "'('", part);
    return placed(new PatternTuple(Array<Pattern>(std::move(parts))), begin);
  }
  const Token name = peek();
  if (!take(Tok::Number) && !expect(Tok::Name, "a pattern")) return nullptr;
  const auto known = constructors_.find(textOf(name));
  if (known == constructors_.end()) {
    Nearest nearest(textOf(name));
    for (const auto& [each, made] : constructors_) nearest.offer(each);
    return error(spanOf(name), "relay.unknown-constructor", "no constructor is named " + std::string(textOf(name)),
                 nearest.fix());
  }
  if (at(Tok::LParen)) list(Tok::LParen, Tok::RParen, "'('", part);
  return placed(new PatternConstructor(known->second, Array<Pattern>(std::move(parts))), begin);
}

}  // namespace rx::relay
