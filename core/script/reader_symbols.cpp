// Symbolic variables that a signature defines: the names in its dimensions that are written as texts, `"n"` or
// `"T.max(n, 1) + m"`. Their element type is the one that the body declares, `n = T.int64()`.
#include <algorithm>

#include "core/script/lines.h"
#include "core/script/relax_reader.h"

namespace rx::script {

std::vector<std::pair<NameId, DataType>> Reader::declaredSymbols() {
  std::vector<std::pair<NameId, DataType>> out;
  const auto end = static_cast<uint32_t>(text_.size());
  Syntax ahead(text_, afterLine(text_, syntax_->bodyBegin(), end), end, file_, names_);
  // The name behind the prefix of a dialect, where a call is one such as T.int64(...).
  auto calledName = [&](NodeId id) -> std::string_view {
    const SynNode& call = ahead.node(id);
    if (call.kind != Syn::Call || ahead.node(call.a).kind != Syn::Attr) return {};
    const SynNode& path = ahead.node(call.a);
    const SynNode& base = ahead.node(path.a);
    return base.kind == Syn::Name && isDialect(base.a) ? names_.text(path.b) : std::string_view();
  };
  auto declare = [&](NodeId target, NodeId value) {
    const std::string_view name = calledName(value);
    if (ahead.node(target).kind != Syn::Name || name.empty() || !ahead.kids(ahead.node(value)).empty()) return false;
    const auto type = DataType::parse(name);
    if (!type || type->isHandle()) return false;
    out.emplace_back(ahead.node(target).a, *type);
    return true;
  };
  Statement s;
  for (ahead.next(s);; ahead.next(s)) {
    if (s.kind == StmtKind::Expr && (ahead.node(s.a).kind == Syn::Text || calledName(s.a) == "func_attr")) continue;
    if (s.kind != StmtKind::Assign || s.items.size() != 1) break;
    const SynNode& target = ahead.node(s.items[0]);
    const SynNode& value = ahead.node(s.b);
    if (target.kind != Syn::Tuple) {
      if (!declare(s.items[0], s.b)) break;
      continue;
    }
    if (value.kind != Syn::Tuple || target.b != value.b) break;
    bool all = true;
    for (size_t i = 0; i < target.b && all; ++i) all = declare(ahead.kids(target)[i], ahead.kids(value)[i]);
    if (!all) break;
  }
  return out;
}

void Reader::maySymbolize(const relax::VarRef& var, bool named, const NodeRef& symbol) {
  const auto* prim = as<relax::PrimStructInfo>(var->sinfo);
  if (!prim || prim->value || prim->dtype != DataType::Int(64)) return;
  const auto* known = as<tir::Var>(symbol);
  if (known && known->dtype == prim->dtype) {
    const_cast<relax::Var*>(var.get())->sinfo = make<relax::PrimStructInfo>(tir::PrimExpr(Ref<tir::Var>(known)));
  } else if (named) {
    symbolic_.insert(var.get());
  }
}

tir::PrimExpr Reader::symbolize(const relax::Var& var) {
  if (!symbolic_.erase(&var)) return nullptr;
  tir::PrimExpr symbol = make<tir::Var>(var.name, DataType::Int(64));
  const_cast<relax::Var&>(var).sinfo = make<relax::PrimStructInfo>(symbol);
  return symbol;
}

/// Names of an expression over dimensions, in their order; the dialect prefixes are none.
void Reader::namesOf(NodeId id, std::vector<NameId>& out) const {
  std::vector<NodeId> stack{id};
  while (!stack.empty()) {
    const NodeId next = stack.back();
    stack.pop_back();
    if (!next) continue;
    const SynNode& n = at(next);
    switch (n.kind) {
      case Syn::Name:
        if (!isDialect(n.a)) out.push_back(n.a);
        break;
      case Syn::Call:  // not the callee
      case Syn::Tuple:
      case Syn::List: {
        auto kids = syntax_->kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back(kids[i]);
        break;
      }
      case Syn::Binary:
      case Syn::Compare:
        stack.push_back(n.b);
        stack.push_back(n.a);
        break;
      case Syn::Unary:
      case Syn::Keyword:
        stack.push_back(n.a);
        break;
      default:
        break;
    }
  }
}

/// The texts of a type annotation that are dimensions (in a list or tuple), or else that are values of R.Prim.
void Reader::dimensionTexts(NodeId annotation, bool dimensions, std::vector<NodeId>& out) const {
  struct Step {
    NodeId id;
    bool list;   ///< inside a list of dimensions
    bool value;  ///< inside the value of R.Prim
  };
  std::vector<Step> stack{{annotation, false, false}};
  while (!stack.empty()) {
    const auto [id, list, value] = stack.back();
    stack.pop_back();
    if (!id) continue;
    const SynNode& n = at(id);
    switch (n.kind) {
      case Syn::Text:
        if (dimensions ? list : value && !list) out.push_back(id);
        break;
      case Syn::Keyword: {
        std::string_view key = names_.text(n.b);
        if (key == "dtype" || key == "vdevice" || key == "device_mesh" || key == "placement" || key == "derive_func" ||
            key == "scope") {
          break;
        }
        stack.push_back({n.a, list, value || key == "value"});
        break;
      }
      case Syn::Tuple:
      case Syn::List:
      case Syn::Call:
      case Syn::Index: {
        const bool inner = n.kind == Syn::Tuple || n.kind == Syn::List;
        auto kids = syntax_->kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back({kids[i], list || inner, value});
        break;
      }
      default:
        break;
    }
  }
}

/// Defines what the texts name and nothing else defines. Names that stand alone come first: an expression may be
/// written before them.
void Reader::defineNamesOf(std::span<const NodeId> texts, std::optional<DataType> fixed) {
  std::vector<NameId> found, free;
  for (NodeId id : texts) {
    std::string_view text;
    if (!syntax_->plainText(id, text) || text.empty()) continue;
    if (identStart(text[0]) && std::all_of(text.begin(), text.end(), identPart)) {
      found.push_back(names_.intern(text));
      continue;
    }
    const uint32_t begin = at(id).begin + static_cast<uint32_t>(syntax_->textOf(id).find(text));
    if (NodeId expr = syntax_->expressionIn(begin, begin + static_cast<uint32_t>(text.size()))) namesOf(expr, free);
    syntax_->diagnostics().clear();  // reported where the text is evaluated
  }
  found.insert(found.end(), free.begin(), free.end());
  std::vector<std::pair<NameId, DataType>> declared;
  bool known = fixed.has_value();
  for (NameId name : found) {
    if (scope_.lookup(name) || DataType::parse(names_.text(name))) continue;
    if (!known) declared = declaredSymbols(), known = true;
    DataType type = fixed.value_or(inTir_ ? DataType::Int(32) : DataType::Int(64));
    for (const auto& [other, dtype] : declared) {
      if (other == name) type = dtype;
    }
    auto symbol = make<tir::Var>(names_.str(name), type);
    signatureSymbols_.push_back(symbol);
    scope_.define(name, symbol);
  }
}

void Reader::defineSignatureSymbols(std::span<const NodeId> annotations) {
  signatureSymbols_.clear();
  std::vector<NodeId> dims, values;
  for (NodeId id : annotations) {
    dimensionTexts(id, true, dims);
    dimensionTexts(id, false, values);
  }
  // A dimension of Relax is int64 whatever the body says of it; one of TIR, or a value, has the declared type.
  defineNamesOf(dims, inTir_ ? std::nullopt : std::optional<DataType>(DataType::Int(64)));
  defineNamesOf(values, std::nullopt);
}

}  // namespace rx::script
