// R.function: signature, declarations of symbolic variables, blocks, bindings.
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/script/function_attrs.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {
bool isVoid(const relax::StructInfo& info) {
  const auto* tuple = as<relax::TupleStructInfo>(info);
  return tuple && tuple->items.empty();
}
}  // namespace

void Printer::declareSymbols(const relax::StructInfo& info, std::vector<std::string>& lines) {
  if (!info) return;
  walk(*info, Into::Parts, [&](const Node& node) {
    const auto* var = as<tir::Var>(&node);
    if (!var || !names_.find(var).empty()) return true;
    if (era(Dialect::V027)) {
      typeVar(names_.define(var, var->name.view()));
      return true;
    }
    usesT_ = true;
    Printer side(options_);
    side.varCreation(*var);
    side.drain();
    lines.push_back(std::string(names_.define(var, var->name.view())) + " = " + side.out_);
    return true;
  });
}

void Printer::function(const relax::Function& func, const Node* node, std::string_view name, bool global) {
  const bool outermost = functionDepth_++ == 0;
  if (outermost) {
    names_.enter();
    bareInt_ = DataType::Int(64);
    clsUsed_ = false;
  }
  if (global) newline();
  text("@");
  r("function");
  const bool isPrivate = global && !ir::attrOf(func.attrs, "global_symbol");
  if (!func.isPure) text(isPrivate ? "(pure=False, private=True)" : "(pure=False)");
  if (func.isPure && isPrivate) text("(private=True)");
  newline();
  text("def ");
  named(name, node, NameRole::Definition);
  text("(");
  // Inner functions may use the names of outer ones, so their scope is inside.
  names_.enter();
  std::vector<std::string> symbols;
  if (outermost) declareSymbols(func.retSinfo, symbols);
  std::vector<std::string_view> params;
  for (const relax::VarRef& param : func.params) {
    params.push_back(names_.define(param.get(), param->name.view()));
    if (outermost) declareSymbols(param->sinfo, symbols);
  }
  // In v0.27 symbols are Python names of the file, before they are texts in a signature.
  signature_ = outermost && !era(Dialect::V027);
  for (size_t k = 0; k < params.size(); ++k) {
    if (k) text(", ");
    named(params[k], func.params[k].get(), NameRole::Definition);
    if (!func.params[k]->sinfo) continue;
    text(": ");
    sinfo(func.params[k]->sinfo);
  }
  text(")");
  if (func.retSinfo) {
    text(" -> ");
    sinfo(func.retSinfo);
  }
  text(":");
  signature_ = false;
  indent();
  for (std::string& line : symbols) {
    newline();
    text(keep(std::move(line)));
  }
  if (outermost) {
    top_ = out_.size();  // of what the attributes speak of
    topIndent_ = indent_;
  }
  functionAttrs(func.attrs, name, global, true);
  if (outermost) top_ = out_.size();
  if (!outermost || !global || !beginBody(func)) {
    later(&Printer::runSeqBlocks, func.body.get(), 0);
    later(&Printer::runReturn, func.body.get());
  }
  dedent();
  leaveScope();
  later(&Printer::runFunctionEnd, nullptr, outermost);
}

void Printer::runFunctionEnd(const void*, uint64_t outermost) {
  --functionDepth_;
  if (outermost) names_.leave();
}

void Printer::functionAttrs(const ir::Attrs& attrs, std::string_view name, bool global, bool relaxText) {
  if (!attrs) return;
  std::vector<std::pair<Str, NodeRef>> shown;
  for (size_t k = 0; k < attrs->size(); ++k) {
    const auto* symbol = as<ir::StrAttr>(attrs->values[k]);
    if (global && attrs->keys[k] == "global_symbol" && symbol && symbol->value == name) continue;
    shown.emplace_back(era(Dialect::V018) ? nameBeforeV024(attrs->keys[k]) : attrs->keys[k], attrs->values[k]);
  }
  if (shown.empty()) return;
  std::sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto kept = make<ir::DictAttrs>(shown);
  owned_.push_back(kept);
  functionAttrs_ = kept.get();
  newline();
  relaxText ? r("func_attr(") : t("func_attr(");
  dict(kept);
  text(")");
}

void Printer::seqBody(const relax::SeqExpr& seq) {
  later(&Printer::runSeqBlocks, &seq, 0);
  later(&Printer::runReturn, &seq);
}

void Printer::runReturn(const void* p, uint64_t) {
  newline();
  text("return ");
  expr(static_cast<const relax::SeqExpr*>(p)->body);
}

void Printer::runSeqBlocks(const void* p, uint64_t x) {
  const auto& blocks = static_cast<const relax::SeqExpr*>(p)->blocks;
  if (x >= blocks.size()) return;
  const relax::BindingBlock* block = blocks[x].get();
  if (block->isDataflow()) {
    newline();
    text("with ");
    r("dataflow():");
    indent();
  }
  later(&Printer::runBlock, block, 0);
  if (block->isDataflow()) {
    later(&Printer::runBlockEnd, block);
    dedent();
  }
  if (x + 1 < blocks.size()) later(&Printer::runSeqBlocks, p, x + 1);
}

void Printer::runBlock(const void* p, uint64_t x) {
  const auto& bindings = static_cast<const relax::BindingBlock*>(p)->bindings;
  for (size_t k = x; k < bindings.size(); ++k) {
    binding(*bindings[k]);
    if (waiting()) return later(&Printer::runBlock, p, k + 1);
  }
}

void Printer::runBlockEnd(const void* p, uint64_t) {
  newline();
  r("output(");
  bool first = true;
  for (const relax::Binding& b : static_cast<const relax::BindingBlock*>(p)->bindings) {
    if (isa<relax::DataflowVar>(b->var)) continue;
    if (!first) text(", ");
    first = false;
    relaxVar(*b->var);
  }
  text(")");
}

void Printer::annotation(const relax::Var& var, const Node* value) {
  if (!var.sinfo) return;
  static const std::unordered_set<std::string_view> kSelfEvident = {"relax.call_tir", "relax.call_dps_packed"};
  if (const auto* call = as<relax::Call>(value)) {
    const auto* op = as<relax::Op>(call->op);
    const bool selfEvident = op && call->sinfoArgs.size() == 1 && kSelfEvident.contains(op->name.view());
    if (selfEvident && structuralEqual(call->sinfoArgs[0], var.sinfo)) return;
  }
  if (!options_.showAnnotations && !isa<relax::MatchCast>(value)) return;
  text(": ");
  sinfo(var.sinfo);
}

void Printer::binding(const relax::BindingNode& node) {
  const auto* var = as<relax::VarBinding>(&node);
  const auto* inner = var ? as<relax::Function>(var->value) : nullptr;
  newline();
  const size_t mark = anchor(&node);
  if (const auto* cast = as<relax::MatchCast>(&node)) {
    named(names_.define(node.var.get(), node.var->name.view()), node.var.get(), NameRole::Definition);
    annotation(*node.var, &node);
    text(" = ");
    r("match_cast(");
    expr(cast->value);
    text(", ");
    sinfo(cast->structInfo);
    text(")");
    return endAnchor(mark);
  }
  const auto& bound = *var;
  if (const auto* branch = as<relax::If>(bound.value)) {
    ifBinding(*branch, bound);
  } else if (inner) {
    function(*inner, bound.var.get(), names_.define(bound.var.get(), bound.var->name.view()), false);
  } else if (isa<relax::Call>(bound.value) && isVoid(bound.var->sinfo)) {
    names_.define(bound.var.get(), bound.var->name.view());
    expr(bound.value);
  } else {
    named(names_.define(bound.var.get(), bound.var->name.view()), bound.var.get(), NameRole::Definition);
    annotation(*bound.var, bound.value.get());
    text(" = ");
    expr(bound.value, kBareTuple);
  }
  endAnchor(mark);
}

void Printer::ifBinding(const relax::If& branch, const relax::VarBinding& bound) {
  text("if ");
  expr(branch.cond);
  text(":");
  names_.define(bound.var.get(), bound.var->name.view());
  for (const relax::SeqExpr* seq : {branch.trueBranch.get(), branch.falseBranch.get()}) {
    if (seq == branch.falseBranch.get()) {
      newline();
      text("else:");
    }
    later(&Printer::runEnterScope);
    indent();
    later(&Printer::runSeqBlocks, seq, 0);
    later(&Printer::runBranchValue, &bound, seq == branch.falseBranch.get());
    dedent();
    leaveScope();
  }
}

void Printer::runBranchValue(const void* p, uint64_t x) {
  const auto& bound = *static_cast<const relax::VarBinding*>(p);
  const auto& branch = *as<relax::If>(bound.value);
  newline();
  relaxVar(*bound.var);
  const relax::Expr& value = (x ? branch.falseBranch : branch.trueBranch)->body;
  annotation(*bound.var, value.get());
  text(" = ");
  expr(value, kBareTuple);
}

}  // namespace rx::script
