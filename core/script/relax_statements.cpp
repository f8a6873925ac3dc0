// Statements of Relax. Open blocks are frames on a heap stack; bindings go to the builder as they are
// read, except the last one of a branch, which names what the branch gives.
#include <algorithm>
#include <cstring>

#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

void Reader::takeBuilderErrors(Span span) {
  if (relax_->builder.diagnostics().empty()) return;
  for (Diagnostic& d : relax_->builder.takeDiagnostics()) {
    if (!d.span.known()) d.span = span;
    failed_ |= d.severity == Severity::Error;
    if (diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
  }
}

// Bindings ------------------------------------------------------------------------------------------------------------

void Reader::bindExpr(NameId name, const Expr& value, const StructInfo& annotation, Span span) {
  RelaxFrame& frame = relax_->frames.back();
  bool output = false;
  if (frame.kind == RelaxFrameKind::Dataflow) {
    for (const auto& [out, begin] : frame.outputs) output |= out == name && span.begin >= begin;
  }
  build::BlockBuilder& builder = relax_->builder;
  relax::VarRef var = output ? builder.emitOutput(value, names_.str(name), annotation, span)
                             : builder.emit(value, names_.str(name), annotation, span);
  takeBuilderErrors(span);
  scope_.define(name, var);
  frame.lastVar = var;
  frame.lastName = name;
}

void Reader::flushPending() {
  RelaxFrame& frame = relax_->frames.back();
  if (!frame.pending.set) return;
  Pending pending = std::move(frame.pending);
  frame.pending = {};
  bindExpr(pending.name, pending.value, pending.annotation, pending.span);
}

/// `n = T.int64()` declares a symbolic variable, or names the one of the signature.
void Reader::relaxBindSymbol(NameId name, const Ref<tir::Var>& var) {
  if (!var->name.empty() && !(var->name == names_.text(name))) {
    error(statementSpan_, "relax.symbolic-name",
          "the variable is called '" + var->name.string() + "' on the right side and '" + nameText(name) +
              "' on the left");
    return;
  }
  NodeRef old = scope_.lookup(name);
  PrimExpr known = old ? tryPrim(old) : nullptr;
  if (const auto* before = as<tir::Var>(known)) {
    if (before->dtype != var->dtype) {
      error(statementSpan_, "relax.symbolic-dtype",
            "'" + nameText(name) + "' is " + before->dtype.str() + " in the signature, not " + var->dtype.str(),
            "write T." + before->dtype.str() + "()");
      return;
    }
    if (isa<tir::Var>(old)) return;
    return scope_.define(name, known);
  }
  rename(var, names_.str(name));
  scope_.define(name, var);
}

void Reader::relaxBindCast(NameId name, const relax::MatchCast& cast, const StructInfo& annotation) {
  StructInfo info = cast.structInfo;
  if (annotation && !op::sameStructInfo(annotation, info)) {
    // The annotation of 2022 says the type of the tensor where match_shape says its dimensions.
    const auto* a = as<relax::TensorStructInfo>(annotation);
    const auto* b = as<relax::TensorStructInfo>(info);
    if (a && b && b->dtype.isVoid()) {
      info = annotation;
    } else {
      error(statementSpan_, "relax.annotation", "the annotation is not what R.match_cast says", "leave it out");
      return;
    }
  }
  flushPending();
  RelaxFrame& frame = relax_->frames.back();
  bool output = false;
  for (const auto& [out, begin] : frame.outputs) output |= out == name && statementSpan_.begin >= begin;
  relax::VarRef var = relax_->builder.emitMatchCast(cast.value, info, names_.str(name), statementSpan_, output);
  takeBuilderErrors(statementSpan_);
  scope_.define(name, var);
  frame.lastVar = var;
  frame.lastName = name;
}

void Reader::relaxBind(NameId name, NodeRef value, NodeId valueNode, const StructInfo& annotation) {
  if (value == moduleMarker_ && moduleMarker_) return scope_.define(name, value);
  if (isa<tir::PrimFunc>(value)) {
    error(statementSpan_, "relax.inline-primfunc", "a TIR function can not stand inside a Relax function",
          "make it a member of the module");
    return;
  }
  if (isa<tir::Var>(value) && at(valueNode).kind == Syn::Call) return relaxBindSymbol(name, refAs<tir::Var>(value));
  if (const auto* cast = as<relax::MatchCast>(value)) return relaxBindCast(name, *cast, annotation);
  if (isa<ir::VDevice>(value) || isa<ir::DeviceMesh>(value) || isa<relax::StructInfoNode>(value))
    return scope_.define(name, value);
  // An expression of TIR keeps its name without a binding; v0.27 binds it as any other value.
  if (isa<tir::ExprNode>(value) && !annotation &&
      (hints_.era < Era::V027 || isa<tir::IntImm>(value) || isa<tir::FloatImm>(value))) {
    return scope_.define(name, value);
  }
  Expr expr;
  if (isa<ir::IntAttr>(value) || isa<ir::FloatAttr>(value) || isa<ir::BoolAttr>(value)) {
    Args args;
    args.call = valueNode;
    args.values = {value};
    expr = refAs<relax::ExprNode>(rConst(args, 0));
  } else {
    expr = op::toExpr(value);
  }
  if (!expr) {
    error(statementSpan_, "relax.binding", "this can not be bound to a variable");
    return;
  }
  RelaxFrame& frame = relax_->frames.back();
  if (frame.kind == RelaxFrameKind::Then || frame.kind == RelaxFrameKind::Else) {
    frame.pending = {true, name, expr, annotation, statementSpan_};
    return;
  }
  bindExpr(name, expr, annotation, statementSpan_);
}

void Reader::relaxAssign(NodeId target, NodeRef value, NodeId valueNode, const StructInfo& annotation) {
  const SynNode node = at(target);
  if (node.kind == Syn::Name) return relaxBind(node.a, std::move(value), valueNode, annotation);
  if (node.kind != Syn::Tuple && node.kind != Syn::List) {
    error(target, "relax.binding", "only names can be bound");
    return;
  }
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    if (array->items.size() != kids.size()) {
      error(target, "relax.binding",
            std::to_string(kids.size()) + " names do not fit " + std::to_string(array->items.size()) + " values");
      return;
    }
    std::vector<NodeId> values(kids.size(), valueNode);
    if (at(valueNode).kind == Syn::Tuple || at(valueNode).kind == Syn::List) {
      values.assign(syntax_->kids(at(valueNode)).begin(), syntax_->kids(at(valueNode)).end());
    }
    for (size_t i = 0; i < kids.size(); ++i) {
      relaxAssign(kids[i], array->items[i], i < values.size() ? values[i] : valueNode, nullptr);
      if (i + 1 < kids.size()) flushPending();
    }
    return;
  }
  Expr expr = op::toExpr(value);
  if (!expr) {
    error(target, "relax.binding", "this value can not be taken apart");
    return;
  }
  Expr tuple = relax_->builder.normalizeArgument(expr);
  takeBuilderErrors(statementSpan_);
  const auto* info = as<relax::TupleStructInfo>(tuple->sinfo);
  if (!info || info->items.size() != kids.size()) {
    error(target, "relax.binding",
          info ? std::to_string(kids.size()) + " names do not fit " + std::to_string(info->items.size()) + " fields"
               : std::string("this value is no tuple, it can not be taken apart"));
    return;
  }
  for (size_t i = 0; i < kids.size(); ++i) {
    relaxAssign(kids[i], make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i)), valueNode, nullptr);
    if (i + 1 < kids.size()) flushPending();
  }
}

/// A name, or names in tuples.
bool Reader::namesOnly(NodeId id) const {
  std::vector<NodeId> stack{id};
  while (!stack.empty()) {
    const NodeId next = stack.back();
    stack.pop_back();
    const SynNode& n = at(next);
    if (n.kind == Syn::Name) continue;
    if (n.kind != Syn::Tuple && n.kind != Syn::List) return false;
    auto kids = syntax_->kids(n);
    stack.insert(stack.end(), kids.begin(), kids.end());
  }
  return true;
}

void Reader::relaxBody() {
  Statement s;
  while (true) {
    syntax_->next(s);
    takeSyntaxErrors();
    if (s.kind == StmtKind::End) return;
    if (options_.cancel.cancelled() || diagnostics_.size() >= options_.maxErrors) {
      failed_ = true;
      return;
    }
    if (s.kind == StmtKind::BlockEnd) {
      if (relax_->frames.size() == 1) return;
      closeRelaxFrame();
      continue;
    }
    relaxStatement(s);
  }
}

/// Reports it where too many blocks are open for another one.
bool Reader::relaxTooDeep() {
  if (relax_->frames.size() < kMaxNesting + 8) return false;
  error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxNesting) + " blocks are open here");
  syntax_->skipBody();
  return true;
}

/// A statement behind the one that ends its function or its dataflow block.
bool Reader::relaxUnreachable(const Statement& s) {
  const RelaxFrame& frame = relax_->frames.back();
  if (frame.kind == RelaxFrameKind::Function && frame.output && s.kind != StmtKind::Pass) {
    error(statementSpan_, "relax.return", "nothing can follow the return of a function");
    syntax_->skipBody();
    return true;
  }
  if (frame.kind == RelaxFrameKind::Dataflow && frame.outputDone && s.kind != StmtKind::Pass &&
      s.kind != StmtKind::Error) {
    error(statementSpan_, "relax.output", "nothing can follow R.output or a return in its block",
          "move it before R.output, or behind the block");
    syntax_->skipBody();
    return true;
  }
  return false;
}

void Reader::relaxStatement(Statement& s) {
  statementSpan_ = {s.begin, s.end, file_};
  flushPending();
  if (relaxUnreachable(s)) return;
  if (s.kind != StmtKind::Else && s.kind != StmtKind::Elif) relax_->refusedIf = false;
  switch (s.kind) {
    case StmtKind::Error:
      lostStatement_ = true;
      return;
    case StmtKind::Pass:
      return;
    case StmtKind::Expr:
      return relaxExprStatement(s);
    case StmtKind::Assign:
      return relaxAssignStatement(s);
    case StmtKind::AnnAssign:
      return relaxAnnAssign(s);
    case StmtKind::Return:
      return relaxReturn(s);
    case StmtKind::With:
      return relaxWith(s);
    case StmtKind::If:
      return relaxIf(s);
    case StmtKind::Else:
    case StmtKind::Elif:
      return relaxElse(s);
    case StmtKind::Def:
      return relaxDef(s);
    default:
      error(statementSpan_, "script.python", "this statement needs Python to be run, which this reader never does");
      lostStatement_ = true;  // its body may have bound names
      syntax_->skipBody();
  }
}

/// A call for its effect; R.output, and what R.func_attr and its like have done already, bind nothing.
void Reader::relaxExprStatement(const Statement& s) {
  RelaxFrame& frame = relax_->frames.back();
  if (at(s.a).kind == Syn::Text || at(s.a).kind == Syn::Ellipsis) return;
  if (at(s.a).kind == Syn::Call) {
    NameId base;
    std::string path;
    if (dottedPath(at(s.a).a, base, path) && path == "output") {
      Args args;
      if (!readArgs(s.a, args)) return;
      rOutput(args, 0);
      return;
    }
  }
  NodeRef value = eval(s.a);
  if (!value || isa<ir::NullAttr>(value)) return;
  if (const auto* cast = as<relax::MatchCast>(value)) {
    relax_->builder.emitMatchCast(cast->value, cast->structInfo, names_.str(names_.intern("_")), statementSpan_);
    takeBuilderErrors(statementSpan_);
    return;
  }
  Expr expr = op::toExpr(value);
  if (!expr) {
    error(statementSpan_, "relax.statement", "this does nothing as a statement");
    return;
  }
  if (frame.kind == RelaxFrameKind::Then || frame.kind == RelaxFrameKind::Else) {
    frame.pending = {true, names_.intern("_"), expr, nullptr, statementSpan_};
    return;
  }
  relax::VarRef var = relax_->builder.emit(expr, names_.str(names_.intern("_")), nullptr, statementSpan_);
  takeBuilderErrors(statementSpan_);
  const auto* tuple = as<relax::TupleStructInfo>(var->sinfo);
  const auto* call = as<relax::Call>(expr);
  const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
  const bool outside = callee && !callee->sinfo && !relax_->module.find(callee->name.view());
  // What a function of the outside gives is not known: it may be nothing.
  if (!outside && (!tuple || !tuple->items.empty())) {
    error(statementSpan_, "relax.unused-value", "a value that is not void must be bound to a name", "write `_ = ...`");
  }
}

void Reader::relaxAssignStatement(const Statement& s) {
  if (s.items.size() > 1) {
    error(statementSpan_, "script.unsupported", "assignments like 'a = b = c' are not understood",
          "write one assignment each");
    return;
  }
  NodeRef value = eval(s.b);
  if (value) return relaxAssign(s.items[0], std::move(value), s.b, nullptr);
  lose(s.items[0]);
  if (at(s.items[0]).kind == Syn::Name) {
    RelaxFrame& frame = relax_->frames.back();
    frame.lastName = at(s.items[0]).a;
    frame.lastVar = make<relax::Var>(names_.str(frame.lastName), relax::objectSinfo());
  }
}

void Reader::relaxAnnAssign(const Statement& s) {
  NodeRef annotation = eval(s.b);
  StructInfo info = annotation ? toSinfo(annotation, s.b) : nullptr;
  NodeRef value = s.c ? eval(s.c)
                      : error(statementSpan_, "relax.binding",
                              "this variable has a type, but no value: TVM prints so what is used and bound nowhere",
                              "write its value after '='");
  if (info && value) {
    relaxAssign(s.a, std::move(value), s.c, info);
    // `n: T.int64 = t[0]` (v0.26): the variable may stand in dimensions.
    const auto* var = at(s.a).kind == Syn::Name ? as<relax::Var>(scope_.lookup(at(s.a).a)) : nullptr;
    if (var && isa<ir::TypeAttr>(annotation)) maySymbolize(Ref<relax::Var>(var), true, nullptr);
    return;
  }
  // What the statement would have bound is what it says, so that one error does not cause more.
  lose(s.a);
  if (at(s.a).kind == Syn::Name) {
    RelaxFrame& frame = relax_->frames.back();
    frame.lastName = at(s.a).a;
    frame.lastVar = make<relax::Var>(names_.str(frame.lastName), info ? info : relax::objectSinfo());
    if (info) scope_.define(frame.lastName, frame.lastVar);
  }
}

void Reader::relaxReturn(const Statement& s) {
  RelaxFrame& frame = relax_->frames.back();
  const bool flow = frame.kind == RelaxFrameKind::Dataflow &&
                    relax_->frames[relax_->frames.size() - 2].kind == RelaxFrameKind::Function;
  if (frame.kind != RelaxFrameKind::Function && !flow) {
    error(statementSpan_, "relax.return", "a return can not stand inside a branch");
    return;
  }
  if (flow && !namesOnly(s.a)) {
    error(statementSpan_, "relax.return", "a return inside a dataflow block names what the block gives",
          "bind the value to a name, or return it behind the block");
    return;
  }
  NodeRef value =
      s.a ? eval(s.a)
          : error(statementSpan_, "relax.return", "a function returns a value", "return R.tuple() for nothing");
  Expr expr = value ? op::toExpr(value) : Expr(make<relax::Tuple>(Array<Expr>()));
  if (isa<relax::MatchCast>(value)) expr = nullptr;
  if (!expr) {
    error(statementSpan_, "relax.return", "this can not be returned");
    expr = make<relax::Tuple>(Array<Expr>());
  }
  frame.output = expr;
  frame.outputDone = flow;
}

void Reader::relaxWith(const Statement& s) {
  NameId base;
  std::string path;
  NodeId context = s.items[0];
  bool flow = s.items.size() == 2 && at(context).kind == Syn::Call && dottedPath(at(context).a, base, path) &&
              path == "dataflow";
  if (!flow) {
    error(statementSpan_, "relax.statement", "only R.dataflow() can open a block of Relax");
    lostStatement_ = true;
    return syntax_->skipBody();
  }
  if (relax_->frames.back().kind == RelaxFrameKind::Dataflow) {
    error(statementSpan_, "relax.dataflow", "a dataflow block can not stand inside another");
    return syntax_->skipBody();
  }
  openDataflow(s);
}

void Reader::relaxIf(const Statement& s) {
  if (relax_->frames.back().kind == RelaxFrameKind::Dataflow) {
    error(statementSpan_, "relax.dataflow", "an 'if' can not stand inside a dataflow block");
    relax_->refusedIf = true;
    lostStatement_ = true;
    syntax_->skipBody();
    return;
  }
  if (relaxTooDeep()) return;
  NodeRef value = eval(s.a);
  Expr cond = value ? op::toExpr(value) : nullptr;
  if (!cond) cond = make<relax::Tuple>(Array<Expr>());
  cond = relax_->builder.normalizeArgument(cond);
  takeBuilderErrors(statementSpan_);
  RelaxFrame branch(RelaxFrameKind::Then);
  branch.span = statementSpan_;
  branch.cond = cond;
  scope_.push();
  relax_->builder.beginSeq();
  relax_->frames.push_back(std::move(branch));
}

/// The `else` of an `if` that was read has its frame already, from where the first branch was closed.
void Reader::relaxElse(const Statement& s) {
  if (s.kind == StmtKind::Else && relax_->frames.back().kind == RelaxFrameKind::Else) return;
  if (relax_->refusedIf) return syntax_->skipBody();  // reported with its 'if'
  error(statementSpan_, "relax.branch", "'elif' is not understood in Relax", "write an 'if' inside the 'else'");
  syntax_->skipBody();
}

void Reader::relaxDef(const Statement& s) {
  std::string kind;
  bool isPrivate = false, pure = true, sTir = false;
  if (!decorators(s, kind, isPrivate, pure, sTir)) {
    error(statementSpan_, "script.python", "a Python function inside a Relax function is not understood",
          "write @R.function before it");
    return syntax_->skipBody();
  }
  if (kind != "relax") {
    error(statementSpan_, "relax.inline-primfunc", "a TIR function can not stand inside a Relax function",
          "make it a member of the module");
    return syntax_->skipBody();
  }
  if (relaxTooDeep()) return;
  if (!openFunction(s, isPrivate, pure, true)) syntax_->skipBody();
}

}  // namespace rx::script
