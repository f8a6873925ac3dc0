// The normal form of expressions: nested computation is bound before its use, branches and bodies are sequences.
#include <fmt/format.h>

#include <algorithm>

#include "core/build/block_builder.h"
#include "core/build/op_normalize.h"
#include "core/ir/node_fields.h"
#include "core/op/op_table.h"
#include "core/op/sinfo_text.h"
#include "core/support/stack.h"

namespace rx::build {

using namespace relax;

namespace {
/// What may stand as an argument as it is.
bool isLeaf(const Node* node) {
  switch (node->kind()) {
    case Kind::relax_Var:
    case Kind::relax_DataflowVar:
    case Kind::relax_GlobalVar:
    case Kind::relax_Constant:
    case Kind::relax_ShapeExpr:
    case Kind::relax_PrimValue:
    case Kind::relax_StringImm:
    case Kind::relax_DataTypeImm:
    case Kind::relax_Op:
    case Kind::relax_ExternFunc:
      return true;
    default:
      return false;
  }
}
}  // namespace

bool BlockBuilder::isPoison(const StructInfo& info) const {
  if (info == poison_) return true;
  const auto* tuple = as<TupleStructInfo>(info);
  if (!tuple) return false;
  for (const StructInfo& item : tuple->items) {
    if (item == poison_) return true;
  }
  return false;
}

StructInfo BlockBuilder::deduceOrReport(const Expr& expr) {
  Result<StructInfo> info = deduce(expr, context_);
  if (info) return *info;
  // What does not fit may be no fault of the call: an operand can be annotated as what it is not.
  constexpr size_t kLookedAt = 4096;  // bindings, since each call of a text may be wrong
  std::vector<DiagnosticNote> notes;
  const auto* call = as<Call>(expr);
  const auto noteIfWrong = [&](const Binding& binding) {
    const auto* bound = as<VarBinding>(binding);
    if (!bound || !bound->value->sinfo || bound->value->sinfo == bound->var->sinfo) return;
    const auto isIt = [&](const Expr& arg) { return arg == bound->var; };
    if (std::none_of(call->args.begin(), call->args.end(), isIt)) return;
    if (!contradicts(bound->var->sinfo, bound->value->sinfo)) return;
    notes.push_back({fmt::format("{} is annotated {}, but its value is {}", bound->var->name.view(),
                                 op::sinfoText(bound->var->sinfo), op::sinfoText(bound->value->sinfo)),
                     bound->span});
  };
  size_t left = call && !seqs_.empty() ? kLookedAt : 0;
  for (size_t i = left > 0 ? seqs_.back().open.size() : 0; i-- > 0 && left > 0; --left)
    noteIfWrong(seqs_.back().open[i]);
  for (size_t b = left > 0 ? seqs_.back().blocks.size() : 0; b-- > 0 && left > 0;) {
    const auto& bindings = seqs_.back().blocks[b]->bindings;
    for (size_t i = bindings.size(); i-- > 0 && left > 0; --left) noteIfWrong(bindings[i]);
  }
  // What a pass has just made stands in no text yet: it is placed where it comes from.
  const OriginSite* from = !expr->span.known() && origin() && !origin()->sites.empty() ? &origin()->sites[0] : nullptr;
  for (Diagnostic diagnostic : info.diagnostics()) {
    if (!diagnostic.span.known()) diagnostic.span = from ? from->span : expr->span;
    if (from && diagnostic.context.empty() && !from->name.empty())
      diagnostic.context = fmt::format("{}, binding {}", from->function.view(), from->name.view());
    diagnostic.notes.insert(diagnostic.notes.end(), notes.begin(), notes.end());
    report(std::move(diagnostic));
  }
  return poison_;
}

Expr BlockBuilder::normalizeArgument(const Expr& expr) {
  if (isLeaf(expr.get())) {
    // A variable of nothing stands for the empty tuple.
    if (const auto* tuple = isa<Var>(expr) ? as<TupleStructInfo>(expr->sinfo) : nullptr) {
      if (tuple->items.empty()) return make<Tuple>(Array<Expr>(), expr->sinfo);
    }
    auto hit = replaced_.empty() ? replaced_.end() : replaced_.find(as<Var>(expr));
    return hit == replaced_.end() ? expr : hit->second;
  }
  Expr normal = normalize(expr);
  if (isLeaf(normal.get()) || isa<Tuple>(normal)) return normal;
  VarRef var = newVar({}, normal->sinfo, false);
  auto* binding = new VarBinding(var, normal);
  binding->span = expr->span;
  emitBinding(Binding(binding));
  return normalizeArgument(var);
}

namespace {
/// Items normalized; the same array when none changed.
template <class F>
Array<Expr> mapped(const Array<Expr>& items, const F& normal) {
  std::vector<Expr> out;
  bool same = true;
  for (size_t i = 0; i < items.size(); ++i) {
    Expr item = normal(items[i]);
    if (same && item == items[i]) continue;
    if (same) {
      out.reserve(items.size());
      out.assign(items.begin(), items.begin() + i);
    }
    same = false;
    out.push_back(std::move(item));
  }
  return same ? items : Array<Expr>(std::move(out));
}
}  // namespace

StructInfo BlockBuilder::deducedCall(const Ref<Call>& call) {
  for (const Expr& arg : call->args) {
    if (isPoison(arg->sinfo)) return poison_;
  }
  return deduceOrReport(call);
}

namespace {
/// What normalizeArgument() leaves as it is while no variable is replaced.
bool stays(const Expr& arg) {
  const auto* tuple = isa<Var>(arg) ? as<TupleStructInfo>(arg->sinfo) : nullptr;
  return isLeaf(arg.get()) && !(tuple && tuple->items.empty());
}
bool hasOwnForm(const Call& call) {
  const op::OpRow* row = op::rowOf(call);
  return row && row->has(op::kNormalizes);
}
}  // namespace

Expr BlockBuilder::normalizeCall(const Ref<Call>& call) {
  // Most calls are in normal form.
  const bool given = call->sinfo && (call->origin || !source_.origin);
  if (given && replaced_.empty() && stays(call->op) && std::all_of(call->args.begin(), call->args.end(), stays) &&
      !(opNormalization_ && hasOwnForm(*call))) {
    return call;
  }
  Expr callee = isLeaf(call->op.get()) ? call->op : normalizeArgument(call->op);
  if (!replaced_.empty() && isa<Var>(callee)) callee = normalizeArgument(callee);
  Array<Expr> args = mapped(call->args, [&](const Expr& arg) { return normalizeArgument(arg); });
  Ref<Call> normal = call;
  const bool changed = !(callee == call->op) || !args.same(call->args);
  const bool origin = !call->origin && source_.origin;
  if (!changed && !call->sinfo) {
    // A call without StructInfo is still being made: nobody relies on it yet, so it is completed in place.
    auto* open = const_cast<Call*>(call.get());
    if (origin) open->origin = this->origin();
    open->sinfo = deducedCall(call);
  } else if (changed || origin) {
    auto* made = new Call(*call);
    made->op = std::move(callee);
    made->args = std::move(args);
    if (changed) made->sinfo = nullptr;
    if (origin) made->origin = this->origin();
    normal = Ref<Call>(made);
    if (!made->sinfo) made->sinfo = deducedCall(normal);
  }
  if (!opNormalization_) return normal;
  Expr special = normalizeOperator(normal, *this);
  return special == normal ? Expr(normal) : normalize(special);
}

SeqRef BlockBuilder::normalizeBranch(const SeqRef& branch) {
  return withStack([&] {
    beginSeq();
    replay(branch);
    return endSeq(branch->body, branch);
  });
}

Expr BlockBuilder::normalizeIf(const Ref<If>& node) {
  Expr cond = normalizeArgument(node->cond);
  SeqRef yes = normalizeBranch(node->trueBranch);
  SeqRef no = normalizeBranch(node->falseBranch);
  if (node->sinfo && cond == node->cond && yes == node->trueBranch && no == node->falseBranch) return node;
  StructInfo info = op::unifyStructInfo(yes->sinfo, no->sinfo, context_);
  if (isPoison(yes->sinfo) || isPoison(no->sinfo)) info = poison_;
  auto* made = new If(cond, yes, no, info);
  made->span = node->span;
  return Expr(made);
}

FunctionRef BlockBuilder::normalizeFunction(const FunctionRef& function) {
  return withStack([&] {
    beginFunction(function->params);
    replay(function->body);
    return endFunction(function->body->body, function->retSinfo, function->isPure, function->attrs, true, function);
  });
}

void BlockBuilder::replayBinding(const Binding& binding) {
  const Source before = source_;
  if (binding->origin) setOrigin(binding->origin);
  if (const auto* bound = as<VarBinding>(binding)) {
    Expr value = normalize(bound->value);
    if (value == bound->value && bound->var->sinfo) {
      emitBinding(binding);
    } else {
      VarRef var = bound->var;
      if (!var->sinfo) {
        var = isa<DataflowVar>(var) ? VarRef(make<DataflowVar>(var->name, value->sinfo))
                                    : make<Var>(var->name, value->sinfo);
        replaced_[bound->var.get()] = var;
        keep_.push_back(bound->var);
      }
      auto* made = new VarBinding(*bound);
      made->var = var;
      made->value = value;
      emitBinding(Binding(made));
    }
  } else {
    const auto* cast = as<MatchCast>(binding);
    Expr value = normalize(cast->value);
    if (value == cast->value) {
      emitBinding(binding);
    } else {
      auto* made = new MatchCast(*cast);
      made->value = value;
      emitBinding(Binding(made));
    }
  }
  setSource(before);
}

void BlockBuilder::replay(const SeqRef& seq) {
  const bool before = seqs_.back().dataflow;
  for (const BlockRef& block : seq->blocks) {
    switchTo(block->isDataflow() || before);
    for (const Binding& binding : block->bindings) replayBinding(binding);
  }
  switchTo(before);
}

Expr BlockBuilder::flatten(const SeqRef& seq) {
  replay(seq);
  return normalize(seq->body);
}

Expr BlockBuilder::normalize(const Expr& expr) {
  if (isLeaf(expr.get())) {
    if (expr->sinfo || isa<Op>(expr)) return normalizeArgument(expr);
    if (auto var = refAs<GlobalVar>(expr)) {
      auto* made = new GlobalVar(*var);
      made->sinfo = deduceOrReport(expr);
      return Expr(made);
    }
    return normalizeArgument(expr);
  }
  if (isa<Call>(expr)) return withStack([&] { return normalizeCall(refTo<Call>(expr)); });
  if (auto tuple = refAs<Tuple>(expr)) {
    return withStack([&]() -> Expr {
      Array<Expr> items = mapped(tuple->items, [&](const Expr& item) { return normalizeArgument(item); });
      if (tuple->sinfo && items.same(tuple->items)) return tuple;
      for (const Expr& item : items) noteFunctionValue(item);
      auto* made = new Tuple(items);
      made->span = tuple->span;
      Expr normal(made);
      made->sinfo = deduceOrReport(normal);
      return normal;
    });
  }
  if (auto item = refAs<TupleGetItem>(expr)) {
    return withStack([&]() -> Expr {
      Expr base = normalizeArgument(item->tuple);
      if (item->sinfo && base == item->tuple) return item;
      auto* made = new TupleGetItem(base, item->index);
      made->span = item->span;
      Expr normal(made);
      made->sinfo = base->sinfo == poison_ ? poison_ : deduceOrReport(normal);
      return normal;
    });
  }
  if (auto branch = refAs<If>(expr)) return normalizeIf(branch);
  if (auto seq = refAs<SeqExpr>(expr)) return withStack([&] { return flatten(seq); });
  if (auto function = refAs<Function>(expr)) return normalizeFunction(function);
  return expr;
}

}  // namespace rx::build
