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

/// `name = value` where the name is a scalar, or a buffer of one element: a store, from v0.25 on.
bool Reader::storesByName(NameId name, const NodeRef& value, NodeId at) {
  if (!hints_.scalars) return false;
  const auto* var = as<tir::Var>(value);
  const bool number = (isa<tir::ExprNode>(value) && !isa<tir::StringImm>(value)) || isa<ir::IntAttr>(value) ||
                      isa<ir::FloatAttr>(value) || isa<ir::BoolAttr>(value);
  if (!number || (var && var->name.empty())) return false;
  const NodeRef& known = scope_.lookup(name);
  auto buffer = refAs<tir::Buffer>(known);
  if (const auto* load = as<tir::BufferLoad>(known)) buffer = load->buffer;
  if (!buffer || buffer->shape.size() != 1 || tir::asInt(buffer->shape[0]) != 1) return false;
  storeTo(buffer, {ir::intAttr(0)}, value, at, nullptr);
  return true;
}

/// Allocates a scalar and gives its value.
Ref<tir::BufferLoad> Reader::makeScalar(DataType dtype, Str scope, NodeId at) {
  auto buffer = std::make_unique<tir::Buffer>();
  buffer->data = tir::bufferPointer(dtype, Str(), std::move(scope));
  buffer->dtype = dtype;
  buffer->shape = {tir::intImm(1, DataType::Int(32))};
  buffer->layout = ir::strAttr(tir::kScalarLayout);
  buffer->span = spanOf(at);
  tir::BufferRef made(buffer.release());
  emit(withSpan(make<tir::AllocBuffer>(made), statementSpan_));
  return withSpan(make<tir::BufferLoad>(made, Array<PrimExpr>{tir::intImm(0, DataType::Int(32))}, dtype), spanOf(at));
}

NodeRef Reader::tScalar(const Args& args, uint32_t row) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"dtype", "scope"};
  static constexpr std::string_view kScopes[] = {"global", "local", "shared"};
  if (!bind(args, std::span(kNames, row == 0 ? 2 : 1), 0, v)) return nullptr;
  auto type = isNone(v[0]) ? std::optional(DataType::Float(32)) : toType(v[0], args.call);
  auto scope = isNone(v[1]) ? std::optional(Str(kScopes[row])) : toText(v[1], args.call);
  if (!type || !scope) return nullptr;
  if (!tir::canBeScalar(*type)) return error(args.call, "tir.type", "a scalar is a number, not " + type->str());
  return makeScalar(*type, *scope, args.call);
}

NodeRef Reader::tirBindName(NameId name, NodeRef value, NodeId at) {
  if (const auto* load = as<tir::BufferLoad>(value);
      load && load->buffer->name.empty() && tir::isScalar(*load->buffer)) {
    rename(load->buffer, names_.str(name));
    scope_.define(name, value);
    return value;
  }
  if (storesByName(name, value, at)) return scope_.lookup(name);
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
  if (const auto* part = as<tir::BufferRegion>(value); part && partsAreViews()) {
    if (NodeRef view = viewOfPart(*part, at)) value = std::move(view);
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
  PrimExpr p = toPrimOrVoid(value, at);
  if (!p) {
    lost_.insert(name);
    scope_.define(name, nullptr);
    return nullptr;
  }
  if (hints_.scalars && tir::canBeScalar(p->dtype)) return defineScalar(name, p->dtype, p, at);
  auto var = make<tir::Var>(names_.str(name), p->dtype);
  emit(withSpan(make<tir::Bind>(var, p), statementSpan_));
  scope_.define(name, var);
  return var;
}

NodeRef Reader::defineScalar(NameId name, DataType dtype, const PrimExpr& value, NodeId at) {
  auto scalar = makeScalar(dtype, Str("local"), at);
  rename(scalar->buffer, names_.str(name));
  if (value) storeTo(scalar->buffer, {ir::intAttr(0)}, value, at, nullptr);
  scope_.define(name, scalar);
  return scalar;
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
  if (at(s.a).kind != Syn::Name) {
    error(s.a, "script.assignment", "only a name can be declared");
    return;
  }
  NameId name = at(s.a).a;
  NameId root;
  std::string path;
  const NodeId head = at(s.b).kind == Syn::Index ? at(s.b).a : s.b;
  const bool let = dottedPath(head, root, path) && root == kT_ && path == "let";
  NodeRef value = s.c ? eval(s.c) : nullptr;
  NodeRef annotation = let && head == s.b ? ir::nullAttr() : evalAnnotation(s.b);
  if ((s.c && !value) || !annotation) return lose(s.a);
  PrimExpr p = s.c ? toPrimOrVoid(value, s.c) : nullptr;
  if (s.c && !p) return lose(s.a);
  const auto* typed = as<tir::Var>(annotation);
  if (!let && hints_.scalars && !(typed && typed->dtype.isHandle())) {
    auto type = typed ? std::optional(typed->dtype) : toType(annotation, s.b);
    if (type && tir::canBeScalar(*type)) return void(defineScalar(name, *type, p, s.c ? s.c : s.b));
    if (!type) return;
  }
  if (!s.c) {
    error(statementSpan_, "script.assignment", "a declaration needs a value here");
    return lose(s.a);
  }
  tir::VarRef var;
  if (typed) {
    var = make<tir::Var>(names_.str(name), typed->dtype, typed->annotation);
  } else if (isa<ir::NullAttr>(annotation)) {  // T.let alone
    var = make<tir::Var>(names_.str(name), p->dtype);
  } else {
    auto type = toType(annotation, s.b);
    if (!type) return;
    var = make<tir::Var>(names_.str(name), type->isVoid() ? p->dtype : *type);
  }
  if (!var->dtype.isVoid() && !(p = toPrim(p, s.c))) return lose(s.a);
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
