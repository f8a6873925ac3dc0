#include "core/build/mutator.h"

#include "core/arith/equal.h"
#include "core/ir/node_fields.h"
#include "core/support/stack.h"

namespace rx::build {

using namespace relax;

Mutator::Mutator(Str pass, ModuleContext* module) : builder(module), pass_(std::move(pass)) {}

Result<FunctionRef> Mutator::rewrite(const FunctionRef& function) {
  FunctionRef result = visitFunction(function);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  return result;
}

// Expressions.

Expr Mutator::visit(const Expr& expr) {
  switch (expr->kind()) {
    case Kind::relax_Var:
    case Kind::relax_DataflowVar:
      return visitVar(refTo<Var>(expr));
    case Kind::relax_Constant:
      return visitConstant(refTo<Constant>(expr));
    case Kind::relax_GlobalVar:
      return visitGlobalVar(refTo<GlobalVar>(expr));
    case Kind::relax_ShapeExpr:
      return visitShapeExpr(refTo<ShapeExpr>(expr));
    case Kind::relax_PrimValue:
      return visitPrimValue(refTo<PrimValue>(expr));
    case Kind::relax_Tuple:
      return withStack([&] { return visitTuple(refTo<Tuple>(expr)); });
    case Kind::relax_TupleGetItem:
      return withStack([&] { return visitTupleGetItem(refTo<TupleGetItem>(expr)); });
    case Kind::relax_Call:
      return withStack([&] { return visitCall(refTo<Call>(expr)); });
    case Kind::relax_If:
      return withStack([&] { return visitIf(refTo<If>(expr)); });
    case Kind::relax_Function:
      return withStack([&]() -> Expr { return visitFunction(refTo<Function>(expr)); });
    case Kind::relax_SeqExpr:
      return withStack([&]() -> Expr { return visitSeq(refTo<SeqExpr>(expr)); });
    default:
      return expr;
  }
}

Expr Mutator::mapped(const VarRef& var) const {
  const Expr* now = vars_.find(var.get());
  return now ? *now : Expr(var);
}

Expr Mutator::valueOf(const Expr& var) const {
  const auto* name = as<Var>(var);
  return name ? builder.lookup(name) : nullptr;
}

Expr Mutator::visitVar(const VarRef& var) { return mapped(var); }

namespace {
template <class F>
Array<tir::PrimExpr> mapValues(const Array<tir::PrimExpr>& values, const F& map) {
  std::vector<tir::PrimExpr> out;
  out.reserve(values.size());
  bool same = true;
  for (const tir::PrimExpr& value : values) {
    out.push_back(map(value));
    same = same && out.back() == value;
  }
  return same ? values : Array<tir::PrimExpr>(std::move(out));
}
}  // namespace

Expr Mutator::visitShapeExpr(const Ref<ShapeExpr>& node) {
  if (!changesSymbols) return node;
  auto values = mapValues(node->values, [&](const tir::PrimExpr& value) { return visitPrimExpr(value); });
  if (values.same(node->values)) return node;
  auto* made = new ShapeExpr(values);
  made->span = node->span;
  return Expr(made);
}

Expr Mutator::visitPrimValue(const Ref<PrimValue>& node) {
  if (!changesSymbols) return node;
  tir::PrimExpr value = visitPrimExpr(node->value);
  if (value == node->value) return node;
  auto* made = new PrimValue(value);
  made->span = node->span;
  return Expr(made);
}

std::vector<Expr> Mutator::visitItems(const Array<Expr>& items) {
  std::vector<Expr> out;
  for (size_t i = 0; i < items.size(); ++i) {
    Expr item = visit(items[i]);
    if (out.empty() && item == items[i]) continue;
    if (out.empty()) {
      out.reserve(items.size());
      out.assign(items.begin(), items.begin() + i);
    }
    out.push_back(std::move(item));
  }
  return out;
}

Expr Mutator::visitTuple(const Ref<Tuple>& node) {
  std::vector<Expr> items = visitItems(node->items);
  if (items.empty()) return node;
  auto* made = new Tuple(Array<Expr>(std::move(items)));
  made->span = node->span;
  return Expr(made);
}

Expr Mutator::visitTupleGetItem(const Ref<TupleGetItem>& node) {
  Expr tuple = visit(node->tuple);
  if (tuple == node->tuple) return node;
  auto* made = new TupleGetItem(tuple, node->index);
  made->span = node->span;
  return Expr(made);
}

Expr Mutator::visitCall(const Ref<Call>& call) {
  Expr callee = visit(call->op);
  const bool sameCallee = callee == call->op;
  std::vector<Expr> args = visitItems(call->args);
  std::vector<StructInfo> infos;
  bool sameInfos = true;
  if (changesSymbols) {
    for (const StructInfo& info : call->sinfoArgs) {
      infos.push_back(visitStructInfo(info));
      sameInfos = sameInfos && infos.back() == info;
    }
  }
  if (sameCallee && args.empty() && sameInfos) return call;
  auto* made = new Call(*call);
  made->op = callee;
  if (!args.empty()) made->args = Array<Expr>(std::move(args));
  if (!sameInfos) made->sinfoArgs = Array<StructInfo>(std::move(infos));
  made->sinfo = nullptr;
  return Expr(made);
}

Expr Mutator::visitIf(const Ref<If>& node) {
  Expr cond = visit(node->cond);
  SeqRef yes = visitSeq(node->trueBranch);
  SeqRef no = visitSeq(node->falseBranch);
  if (cond == node->cond && yes == node->trueBranch && no == node->falseBranch) return node;
  auto* made = new If(cond, yes, no);
  made->span = node->span;
  return Expr(made);
}

StructInfo Mutator::visitStructInfo(const StructInfo& info) {
  if (!changesSymbols || !info) return info;
  auto symbol = [&](const tir::VarRef& var) { return visitPrimExpr(var); };
  auto variable = [&](const VarRef& var) { return visitVar(var); };
  return op::eraseToWellDefined(info, symbol, variable, builder.context());
}

// Functions, sequences, blocks.

FunctionRef withReturnOfBody(const FunctionRef& function, op::InferContext& context) {
  std::unordered_set<const tir::Var*> symbols;
  std::unordered_set<const Var*> variables;
  for (const VarRef& param : function->params) {
    variables.insert(param.get());
    if (!param->sinfo) continue;
    for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) symbols.insert(symbol.get());
  }
  const StructInfo ret = op::eraseToKnown(function->body->sinfo, symbols, variables, context);
  auto* made = new Function(function->params, function->body, ret, function->isPure, function->attrs);
  made->span = function->span;
  return FunctionRef(made);
}

namespace {
/// A declared result that the body does not give gives way to what it gives; one that only says more stays.
FunctionRef withFittingReturn(const FunctionRef& function, op::InferContext& context) {
  const StructInfo& info = function->body->sinfo;
  const bool fits =
      !info || op::isBaseOf(info, function->retSinfo, context) || op::isBaseOf(function->retSinfo, info, context);
  return fits ? function : withReturnOfBody(function, context);
}
}  // namespace

FunctionRef Mutator::visitFunction(const FunctionRef& function) {
  Array<VarRef> params = function->params;
  StructInfo ret = function->retSinfo;
  if (changesSymbols) {
    std::vector<VarRef> renewed;
    bool same = true;
    for (const VarRef& param : params) {
      StructInfo info = visitStructInfo(param->sinfo);
      if (info == param->sinfo) {
        renewed.push_back(param);
        continue;
      }
      renewed.push_back(make<Var>(param->name, info));
      mapVar(param, renewed.back());
      same = false;
    }
    if (!same) params = Array<VarRef>(std::move(renewed));
    ret = visitStructInfo(ret);
  }
  builder.beginFunction(params);
  Expr body = visitBody(function->body);
  FunctionRef result = builder.endFunction(body, ret, function->isPure, function->attrs, refineReturn, function);
  return refineReturn ? withFittingReturn(result, builder.context()) : result;
}

Expr Mutator::visitBody(const SeqRef& body) {
  for (const BlockRef& block : body->blocks) visitBlock(block);
  return visit(body->body);
}

SeqRef Mutator::visitSeq(const SeqRef& seq) {
  return withStack([&] {
    builder.beginSeq();
    for (const BlockRef& block : seq->blocks) visitBlock(block);
    Expr body = visit(seq->body);
    return builder.endSeq(body, seq);
  });
}

void Mutator::visitBlock(const BlockRef& block) {
  if (block->isDataflow()) builder.beginDataflow();
  builder.expect(block->bindings.size());
  for (const Binding& binding : block->bindings) visitBinding(binding);
  if (block->isDataflow()) builder.endDataflow();
}

void Mutator::visitBinding(const Binding& binding) {
  if (builder.module() && builder.module()->cancel().cancelled()) {
    // What is left is left out: nobody sees the function.
    if (!builder.failed()) builder.report(errorAt({}, "pass.cancelled", "cancelled"));
    return;
  }
  BlockBuilder::Source outer = builder.source();
  builder.setSource({binding->origin, &pass_});
  if (isa<VarBinding>(binding)) {
    visitVarBinding(refTo<VarBinding>(binding));
  } else {
    visitMatchCast(refTo<MatchCast>(binding));
  }
  builder.setSource(std::move(outer));
}

void Mutator::visitVarBinding(const Ref<VarBinding>& binding) { rebind(binding, visit(binding->value)); }

void Mutator::rebind(const Ref<VarBinding>& binding, const Expr& value) {
  Expr normal = builder.normalize(value);
  const StructInfo& info = normal->sinfo;
  const StructInfo declared = changesSymbols ? visitStructInfo(binding->var->sinfo) : binding->var->sinfo;
  if (normal == binding->value && declared == binding->var->sinfo) return builder.emitBinding(binding);
  VarRef var = binding->var;
  // The variable keeps what it says of itself where its value stays, and where the new value agrees with it.
  const bool keeps = declared == var->sinfo &&
                     (value == binding->value || (info && (info == declared || op::sameStructInfo(info, declared))));
  if (!keeps) {
    StructInfo next = info ? info : declared;
    var = isa<DataflowVar>(binding->var) ? VarRef(make<DataflowVar>(binding->var->name, next))
                                         : make<Var>(binding->var->name, next);
    mapVar(binding->var, var);
  }
  auto* made = new VarBinding(var, normal);
  made->span = binding->span;
  made->origin = builder.origin();
  builder.emitBinding(Binding(made));
}

void Mutator::visitMatchCast(const Ref<MatchCast>& binding) { recast(binding, visit(binding->value)); }

void Mutator::recast(const Ref<MatchCast>& binding, const Expr& visited) {
  StructInfo info = visitStructInfo(binding->structInfo);
  if (visited == binding->value && info == binding->structInfo) return builder.emitBinding(binding);
  // A call may stand in a match_cast as it was written; one that a pass made gets a binding of its own, as in TVM.
  Expr value = builder.normalizeArgument(visited);
  VarRef var = binding->var;
  if (!(info == binding->structInfo)) {
    var = isa<DataflowVar>(binding->var) ? VarRef(make<DataflowVar>(binding->var->name, info))
                                         : make<Var>(binding->var->name, info);
    mapVar(binding->var, var);
  }
  auto* made = new MatchCast(var, value, info);
  made->span = binding->span;
  made->origin = builder.origin();
  builder.emitBinding(Binding(made));
}

// Modules.

Result<ir::Module> mutateFunctions(const ir::Module& module, const CancelToken& cancel,
                                   const std::function<std::unique_ptr<Mutator>(ModuleContext&)>& make) {
  ModuleContext context(module);
  context.setCancel(cancel);
  std::vector<Diagnostic> problems;
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = refAs<Function>(function);
    if (!relaxFunction) continue;
    if (cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto mutator = make(context);
    Result<FunctionRef> result = mutator->rewrite(relaxFunction);
    if (result) {
      context.update(var, *result);
    } else {
      for (Diagnostic diagnostic : result.diagnostics()) {
        if (diagnostic.context.empty()) diagnostic.context = var->name.string();
        problems.push_back(std::move(diagnostic));
      }
    }
  }
  if (!problems.empty()) return fail(std::move(problems));
  return context.module();
}

Result<ir::Module> normalizeModule(const ir::Module& module, const CancelToken& cancel) {
  return mutateFunctions(module, cancel, [](ModuleContext& context) {
    // Nodes that are normal already are found so by the builder and stay.
    return std::make_unique<Mutator>(Str("Normalize"), &context);
  });
}

}  // namespace rx::build
