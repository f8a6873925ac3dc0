// Functions of Relax: signature, opening, closing.
#include <algorithm>
#include <cstring>

#include "core/op/lattice.h"
#include "core/op/sinfo_text.h"
#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

namespace {
/// What may be the value of a branch without a binding of its own.
bool isLeafOrTuple(const Expr& e) {
  Kind k = e->kind();
  return (isa<relax::Var>(e) && !isa<relax::DataflowVar>(e)) || k == Kind::relax_Tuple || k == Kind::relax_Constant ||
         k == Kind::relax_ShapeExpr || k == Kind::relax_PrimValue || k == Kind::relax_StringImm ||
         k == Kind::relax_DataTypeImm || k == Kind::relax_GlobalVar || k == Kind::relax_ExternFunc;
}
}  // namespace

/// Evaluates parameters and return annotation in the present scope, which gets the parameters and symbolic variables.
bool Reader::relaxSignature(const Statement& head, std::vector<relax::VarRef>& params, StructInfo& ret) {
  bool ok = true;
  defineTypeVars();
  relax_->symbolicTexts = newSymbols_ = true;
  // Parameters are visible to the annotations that follow them, and to those before in texts.
  std::vector<NodeId> annotations;
  for (const Param& param : head.params) annotations.push_back(param.annotation);
  annotations.push_back(head.a);
  defineSignatureSymbols(annotations);
  if (namedTwice(head)) return false;
  for (const Param& param : head.params) {
    Span span{param.begin, param.end, file_};
    statementSpan_ = span;
    if (!param.annotation) {
      error(span, "relax.annotation", "the parameter '" + nameText(param.name) + "' has no annotation",
            "write R.Tensor(...), R.Shape(...), R.Prim(...) or R.Object");
      ok = false;
      continue;
    }
    NodeRef value = eval(param.annotation);
    StructInfo info = value ? toSinfo(value, param.annotation) : nullptr;
    if (!info) {
      ok = false;
      continue;
    }
    auto var = withSpan(make<relax::Var>(names_.str(param.name), info), span);
    params.push_back(var);
    maySymbolize(var, isa<ir::TypeAttr>(value), scope_.lookup(param.name));
    scope_.define(param.name, var);
  }
  if (head.a) {
    NodeRef value = eval(head.a);
    ret = value ? toSinfo(value, head.a) : nullptr;
    ok &= ret != nullptr;
  }
  relax_->symbolicTexts = newSymbols_ = false;
  return ok;
}

bool Reader::openFunction(const Statement& head, bool isPrivate, bool pure, bool local) {
  statementSpan_ = {head.begin, head.end, file_};
  RelaxFrame frame(RelaxFrameKind::Function);
  frame.span = statementSpan_;
  frame.name = head.name;
  frame.pure = pure;
  frame.isPrivate = isPrivate || local;
  frame.local = local;
  std::vector<relax::VarRef> params;
  relax::StructInfo ret;
  scope_.push();
  bool ok = relaxSignature(head, params, ret);
  if (!ok) {
    scope_.pop();
    return false;
  }
  frame.ret = ret;
  if (local) {
    std::vector<StructInfo> infos;
    for (const auto& p : params) infos.push_back(p->sinfo);
    auto signature =
        make<relax::FuncStructInfo>(Array<StructInfo>(std::move(infos)), ret ? ret : relax::objectSinfo(), pure);
    frame.self = make<relax::Var>(names_.str(head.name), signature);
    scope_.define(head.name, frame.self);
    for (const Param& p : head.params) {
      if (p.name != head.name) continue;
      for (const auto& v : params) {
        if (v->name == names_.text(p.name)) scope_.define(p.name, v);
      }
    }
  }
  relax_->frames.push_back(std::move(frame));
  relax_->builder.beginFunction(Array<relax::VarRef>(std::move(params)));
  return true;
}

void Reader::noteSelf(const NodeRef& value) {
  const auto* var = as<relax::Var>(value);
  if (!var || !isa<relax::FuncStructInfo>(var->sinfo)) return;
  for (RelaxFrame& frame : relax_->frames) frame.selfUsed |= frame.local && frame.self.get() == var;
}

/// Keeps which functions the one that ends now used as values; true when it is one of them.
bool Reader::usesItself(const relax::Expr& self, const relax::Expr& output) {
  std::vector<relax::GlobalVarRef> used = relax_->builder.takeFunctionValues();
  if (auto result = refAs<relax::GlobalVar>(output)) used.push_back(std::move(result));
  bool itself = false;
  for (relax::GlobalVarRef& var : used) {
    itself |= self == var;
    if (!(self == var)) relax_->valueUses.push_back({refAs<relax::GlobalVar>(self), std::move(var)});
  }
  return itself;
}

relax::FunctionRef Reader::closeFunction() {
  RelaxFrame frame = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  scope_.pop();
  Expr output = frame.output;
  if (!output) {
    // A return may be in what could not be read.
    if (!lostStatement_)
      error(frame.span, "relax.no-return", "the function '" + nameText(frame.name) + "' returns nothing",
            "end it with a return");
    output = make<relax::Tuple>(Array<Expr>());
  }
  if (frame.ret && output->sinfo) {
    op::InferContext context;
    if (op::baseCheck(frame.ret, output->sinfo, context) <= op::BaseCheck::FailL1 &&
        op::baseCheck(output->sinfo, frame.ret, context) <= op::BaseCheck::FailL1) {
      warning(frame.span, "relax.return-annotation",
              "the function '" + nameText(frame.name) + "' is annotated to return " + op::sinfoText(frame.ret) +
                  ", but returns " + op::sinfoText(output->sinfo));
    }
  }
  bool symbol = false;
  for (const auto& [key, value] : frame.attrs) symbol |= key == "global_symbol";
  if (symbol && frame.isPrivate && !frame.local) {
    error(frame.span, "relax.private", "a private function can not have the attribute 'global_symbol'",
          "remove the attribute, or private=True");
  }
  if (!frame.isPrivate && !symbol) frame.attrs.emplace_back(Str("global_symbol"), ir::strAttr(names_.str(frame.name)));
  ir::Attrs attrs;
  if (!frame.attrs.empty()) attrs = make<ir::DictAttrs>(frame.attrs);
  output = relax_->builder.normalizeArgument(output);
  // Where the signature of the function stands in the type of its own result, a better known result would make that
  // type another, and so on with every reading.
  const bool declared = frame.selfUsed || frame.circular || (!frame.local && usesItself(frame.self, output));
  if (declared && !frame.ret) frame.ret = relax::objectSinfo();
  relax::FunctionRef function = relax_->builder.endFunction(output, frame.ret, frame.pure, attrs, !declared);
  if (!frame.local) relax_->builder.takeFunctionValues();  // its result again
  takeBuilderErrors(frame.span);
  if (!function) return nullptr;
  const_cast<relax::Function*>(function.get())->span = frame.span;
  if (!frame.local || relax_->frames.empty()) return function;
  // A local function is bound to the variable that its own body calls; where the body does not, its signature may have
  // become better known.
  auto self = refAs<relax::Var>(frame.self);
  RelaxFrame& outer = relax_->frames.back();
  bool flow = outer.kind == RelaxFrameKind::Dataflow;
  bool output2 = false;
  for (const auto& [out, begin] : outer.outputs) output2 |= out == frame.name;
  if (!frame.selfUsed && (!op::sameStructInfo(self->sinfo, function->sinfo) || (flow && !output2))) {
    self = flow && !output2 ? relax::VarRef(make<relax::DataflowVar>(names_.str(frame.name), function->sinfo))
                            : make<relax::Var>(names_.str(frame.name), function->sinfo);
  }
  auto binding = make<relax::VarBinding>(self, Expr(function));
  const_cast<relax::VarBinding*>(binding.get())->span = frame.span;
  relax_->builder.emitBinding(binding);
  scope_.define(frame.name, self);
  outer.lastVar = self;
  outer.lastName = frame.name;
  return function;
}

void Reader::closeRelaxFrame() {
  RelaxFrame& frame = relax_->frames.back();
  if (frame.kind == RelaxFrameKind::Dataflow) return closeDataflow();
  if (frame.kind == RelaxFrameKind::Function) {
    closeFunction();
    return;
  }
  // A branch: its last binding names and gives its value; a leaf bound last is the value itself.
  NameId name = frame.lastName;
  Expr body = frame.lastVar;
  if (frame.pending.set) {
    name = frame.pending.name;
    if (isLeafOrTuple(frame.pending.value)) {
      body = frame.pending.value;
      frame.pending = {};
    } else {
      flushPending();
      body = relax_->frames.back().lastVar;
    }
  }
  RelaxFrame branch = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  scope_.pop();
  if (const auto* tuple = body ? as<relax::TupleStructInfo>(body->sinfo) : nullptr; tuple && tuple->items.empty()) {
    body = make<relax::Tuple>(Array<Expr>());
  }
  if (!body) {
    error(branch.span, "relax.branch", "a branch must end with a binding",
          "bind the result of both branches to one name");
    body = make<relax::Tuple>(Array<Expr>());
  }
  relax::SeqRef seq = relax_->builder.endSeq(body);
  takeBuilderErrors(branch.span);
  if (branch.kind == RelaxFrameKind::Then) {
    if (!syntax_->atElse()) {
      error(branch.span, "relax.branch", "an 'if' of Relax needs an 'else'", "bind the same name in both branches");
      return;
    }
    RelaxFrame other(RelaxFrameKind::Else);
    other.span = branch.span;
    other.cond = branch.cond;
    other.thenBranch = seq;
    other.thenName = name;
    scope_.push();
    relax_->builder.beginSeq();
    relax_->frames.push_back(std::move(other));
    return;
  }
  if (branch.thenName != name && name != Names::kNone && branch.thenName != Names::kNone) {
    error(branch.span, "relax.branch",
          "both branches must end by binding the same name: the first binds '" + nameText(branch.thenName) +
              "', the other '" + nameText(name) + "'");
    lost_.insert(branch.thenName);
    lost_.insert(name);
  }
  if (name == Names::kNone || branch.thenName == Names::kNone) return;
  Expr choice = withSpan(make<relax::If>(branch.cond, branch.thenBranch, seq), branch.span);
  Span saved = statementSpan_;
  statementSpan_ = branch.span;
  RelaxFrame& outer = relax_->frames.back();
  if (outer.kind == RelaxFrameKind::Then || outer.kind == RelaxFrameKind::Else) {
    outer.pending = {true, name, choice, nullptr, branch.span};
  } else {
    bindExpr(name, choice, nullptr, branch.span);
  }
  statementSpan_ = saved;
}

relax::FunctionRef Reader::readRelaxFunction(const Statement& head, const relax::GlobalVarRef& self, bool isPrivate,
                                             bool pure, bool circular) {
  relax_->frames.clear();
  symbolic_.clear();
  forgetLost();
  if (!openFunction(head, isPrivate, pure, false)) {
    failed_ = true;
    syntax_->skipBody();
    return nullptr;
  }
  relax_->frames.back().self = self;
  relax_->frames.back().circular = circular;
  relaxBody();
  relax::FunctionRef function;
  while (!relax_->frames.empty()) {
    if (relax_->frames.size() == 1) {
      function = closeFunction();
    } else {
      closeRelaxFrame();
    }
  }
  return function;
}

}  // namespace rx::script
