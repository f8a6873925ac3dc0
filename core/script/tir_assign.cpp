// Assignments of TIR: what a name on the left of a value means.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

/// `n = T.int32()` for a name that the signature uses as a dimension already.
bool Reader::declaresAgain(NameId name, const tir::Var& declared) const {
  const NodeRef& old = scope_.lookup(name);
  const auto* symbol = as<tir::Var>(old);
  return symbol && symbol->dtype == declared.dtype && !declared.annotation &&
         std::find(signatureSymbols_.begin(), signatureSymbols_.end(), old) != signatureSymbols_.end();
}

NodeRef Reader::tirBindName(NameId name, NodeRef value, NodeId at) {
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    std::vector<NodeRef> items;
    for (size_t i = 0; i < array->items.size(); ++i) {
      NodeRef item = array->items[i];
      rename(item, Str(nameText(name) + "_" + std::to_string(i)));
      items.push_back(item);
    }
    NodeRef list = ir::arrayAttr(std::move(items));
    scope_.define(name, list);
    return list;
  }
  if (isa<ir::NullAttr>(value)) {
    scope_.define(name, value);
    return value;
  }
  bool fresh = false;
  if (const auto* var = as<tir::Var>(value)) fresh = var->name.empty();
  if (fresh && declaresAgain(name, *as<tir::Var>(value))) return scope_.lookup(name);
  bool meta = this->at(at).kind == Syn::Call && syntax_->textOf(at).starts_with("T.meta_var");
  if (isa<tir::Buffer>(value) || isa<tir::IterVar>(value) || fresh || meta || isa<tir::BufferRegion>(value) ||
      isa<ir::IRModule>(value) || isa<ir::DictAttrs>(value) || isa<relax::ExprNode>(value)) {
    rename(value, names_.str(name));
    scope_.define(name, value);
    return value;
  }
  if (this->at(at).kind == Syn::Call || isa<tir::Var>(value)) {
    // T.Var("n", "int64") names itself; a variable of the program that is bound again is a value.
    std::string_view text = syntax_->textOf(at);
    if (text.starts_with("T.Var(") || text.starts_with("T.SizeVar(") || text.starts_with("T.env_thread") ||
        text.starts_with("T.launch_thread") || text.starts_with("T.allocate")) {
      scope_.define(name, value);
      return value;
    }
  }
  PrimExpr p = toPrim(value, at);
  if (!p) {
    lost_.insert(name);
    scope_.define(name, nullptr);
    return nullptr;
  }
  auto var = make<tir::Var>(names_.str(name), p->dtype);
  emit(withSpan(make<tir::Bind>(var, p), statementSpan_));
  scope_.define(name, var);
  return var;
}

void Reader::tirBindTarget(NodeId target, NodeRef value, NodeId valueNode) {
  const SynNode node = at(target);
  if (node.kind == Syn::Name) {
    tirBindName(node.a, std::move(value), valueNode);
    return;
  }
  if (node.kind == Syn::Tuple || node.kind == Syn::List) {
    const auto* array = as<ir::ArrayAttr>(value);
    std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
    if (!array || array->items.size() != kids.size()) {
      error(target, "script.assignment", std::to_string(kids.size()) + " names do not fit what is assigned");
      return;
    }
    for (size_t i = 0; i < kids.size(); ++i) tirBindTarget(kids[i], array->items[i], valueNode);
    return;
  }
  if (node.kind == Syn::Index) {
    NodeRef object = eval(node.a);
    if (!object) return;
    if (!isa<tir::Buffer>(object)) {
      error(target, "script.assignment", "only elements of a buffer can be assigned");
      return;
    }
    bool ok = true;
    std::vector<NodeRef> indices = evalIndices(node, ok);
    if (ok) storeTo(refAs<tir::Buffer>(object), std::move(indices), std::move(value), target, nullptr);
    return;
  }
  error(target, "script.assignment", "this can not be assigned to");
}

void Reader::tirAssign(NodeId target, NodeId value) {
  // Several `T.int32()` on one line define several variables.
  NodeRef v = eval(value);
  if (!v) return lose(target);
  tirBindTarget(target, std::move(v), value);
}

void Reader::tirAnnAssign(const Statement& s) {
  if (!s.c) {
    error(statementSpan_, "script.assignment", "a declaration without a value is not understood");
    return;
  }
  NodeRef value = eval(s.c);
  NodeRef annotation = evalAnnotation(s.b);
  if (!value || !annotation) return lose(s.a);
  if (at(s.a).kind != Syn::Name) {
    error(s.a, "script.assignment", "only a name can be declared");
    return;
  }
  NameId name = at(s.a).a;
  PrimExpr p = toPrim(value, s.c);
  if (!p) return lose(s.a);
  tir::VarRef var;
  if (const auto* like = as<tir::Var>(annotation)) {
    var = make<tir::Var>(names_.str(name), like->dtype, like->annotation);
  } else {
    auto type = toType(annotation, s.b);
    if (!type) return;
    var = make<tir::Var>(names_.str(name), type->isVoid() ? p->dtype : *type);
  }
  if (p->dtype != var->dtype && !var->dtype.isHandle() && !p->dtype.isHandle()) p = arith::cast(var->dtype, p);
  emit(withSpan(make<tir::Bind>(var, p), statementSpan_));
  scope_.define(name, var);
}

void Reader::tirAugAssign(const Statement& s) {
  NodeRef old = eval(s.a);
  NodeRef value = eval(s.b);
  if (!old || !value) return;
  NodeRef result = binary(s.op, old, value, s.a);
  if (result) tirBindTarget(s.a, result, s.b);
}

}  // namespace rx::script
