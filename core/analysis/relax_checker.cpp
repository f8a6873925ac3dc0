#include "core/analysis/relax_checker.h"

#include "core/analysis/purity.h"
#include "core/ir/reflect.h"
#include "core/op/sinfo_text.h"

namespace rx::analysis {

using namespace relax;

RelaxChecker::RelaxChecker(const ir::IRModule& module, const WellFormedOptions& options, Findings& findings)
    : module_(module), options_(options), findings_(findings), context_(this) {}

void RelaxChecker::check(const GlobalVar& name, const Function& function) {
  name_ = &name;
  findings_.function = name.name.view();
  findings_.block = 0;
  findings_.binding = {};
  findings_.place = function.span;
  context_.reset();
  vars_.clear();
  symbols_.clear();
  const auto* symbol = as<ir::StrAttr>(ir::attrOf(function.attrs, "global_symbol"));
  if (symbol && !(symbol->value == name.name)) {
    findings_.error(function.span, "relax.global-symbol",
                    fmt::format("the function is named '{}', but its global_symbol is '{}'", name.name.view(),
                                symbol->value.view()));
  }
  beginFunction(function);
  run();
}

void RelaxChecker::run() {
  while (!tasks_.empty() && !findings_.full() && !options_.cancel.cancelled()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    step(task);
  }
  tasks_.clear();
  functions_.clear();
}

void RelaxChecker::step(Task task) {
  switch (task.kind) {
    case Task::Blocks:
      return blocks(task);
    case Task::Bindings:
      return bindings(task);
    case Task::EndBlock:
      functions_.back().dataflow = 0;
      return;
    case Task::Value: {
      const auto& seq = *static_cast<const SeqExpr*>(task.node);
      findings_.binding = {};
      findings_.block = 0;
      forgetChecked();
      return leaf(seq.body, "the value of a body");
    }
    case Task::EnterScope:
      scopes_.push_back(enter());
      forgetChecked();
      return;
    case Task::LeaveScope:
      vars_.leave(scopes_.back().vars);
      symbols_.leave(scopes_.back().symbols);
      scopes_.pop_back();
      forgetChecked();
      return;
    case Task::EndFunction:
      functions_.pop_back();
      return;
  }
}

void RelaxChecker::beginFunction(const Function& function) {
  const bool forced = ir::boolAttrOf(function.attrs, "relax.force_pure", false);
  if (forced && !function.isPure) {
    findings_.error(function.span, "relax.force-pure", "relax.force_pure is only for a function that is declared pure");
  }
  functions_.push_back({&function, function.isPure && !forced, 0});
  scopes_.push_back(enter());
  forgetChecked();
  checkParams(function);
  tasks_.push_back({Task::EndFunction});
  tasks_.push_back({Task::LeaveScope});
  tasks_.push_back({Task::Value, function.body.get()});
  tasks_.push_back({Task::Blocks, function.body.get(), 0});
}

void RelaxChecker::checkParams(const Function& function) {
  for (const VarRef& param : function.params) {
    if (isa<DataflowVar>(param)) {
      findings_.error(param->span, "relax.dataflow-param",
                      fmt::format("parameter '{}' is a dataflow variable", param->name.view()));
    }
    define(*param, param->span);
    if (!param->sinfo) {
      findings_.error(param->span, "relax.no-struct-info",
                      fmt::format("parameter '{}' has no StructInfo", param->name.view()));
    } else {
      defineSymbols(*param->sinfo);
    }
  }
  for (const VarRef& param : function.params) {
    if (param->sinfo) sinfo(param->sinfo, Mode::Use, param->span);
  }
  if (!function.retSinfo) {
    findings_.error(function.span, "relax.return-annotation", "the function has no return StructInfo");
  } else {
    sinfo(function.retSinfo, Mode::Use, function.span);
  }
}

void RelaxChecker::define(const Var& var, Span span) {
  if (const relax::GlobalVar* const* at = boundIn_.find(&var)) {
    const bool elsewhere = (*at)->name.view() != name_->name.view();
    findings_.error(
        span, elsewhere ? "relax.shared-var" : "relax.multiple-binding",
        elsewhere ? fmt::format("variable '{}' belongs to function '{}' already", var.name.view(), (*at)->name.view())
                  : fmt::format("variable '{}' is bound twice", var.name.view()));
  } else {
    boundIn_.set(&var, name_);
  }
  vars_.add(&var, {static_cast<uint32_t>(functions_.size()), functions_.back().dataflow});
}

void RelaxChecker::blocks(const Task& task) {
  const auto& seq = *static_cast<const SeqExpr*>(task.node);
  if (task.at >= seq.blocks.size()) return;
  const BindingBlock& block = *seq.blocks[task.at];
  findings_.block = task.at + 1;
  findings_.binding = {};
  if (options_.warnings) {
    if (block.bindings.empty()) findings_.warning(block.span, "relax.empty-block", "normal form has no empty blocks");
    if (task.at > 0 && seq.blocks[task.at - 1]->isDataflow() == block.isDataflow()) {
      findings_.warning(block.span, "relax.unmerged-blocks",
                        "normal form merges this block with the one before, which is of the same kind");
    }
  }
  if (functions_.back().dataflow && !block.isDataflow()) {
    findings_.error(block.span, "relax.block-in-dataflow", "a plain block may not stand inside a dataflow block");
  }
  tasks_.push_back({Task::Blocks, task.node, task.at + 1});
  if (block.isDataflow()) {
    functions_.back().dataflow = ++dataflowBlocks_;
    tasks_.push_back({Task::EndBlock, &block});
  }
  tasks_.push_back({Task::Bindings, &block, 0, task.at + 1});
}

void RelaxChecker::bindings(const Task& task) {
  const auto& block = *static_cast<const BindingBlock*>(task.node);
  findings_.block = task.block;
  for (size_t k = task.at; k < block.bindings.size(); ++k) {
    const size_t waiting = tasks_.size();
    binding(*block.bindings[k]);
    if (findings_.full() || options_.cancel.cancelled()) return;
    if (tasks_.size() == waiting) continue;
    // The binding brought nested work, which comes first.
    tasks_.insert(tasks_.begin() + static_cast<std::ptrdiff_t>(waiting),
                  Task{Task::Bindings, task.node, k + 1, task.block});
    return;
  }
}

void RelaxChecker::binding(const BindingNode& binding) {
  errors_ = 0;
  findings_.binding = binding.var->name.view();
  findings_.place = binding.span.known() ? binding.span : binding.var->span;
  if (isa<DataflowVar>(binding.var) && !functions_.back().dataflow) {
    findings_.error(binding.span, "relax.dataflow-var-binding",
                    fmt::format("dataflow variable '{}' is bound outside of a dataflow block", findings_.binding));
  }
  if (const auto* cast = as<MatchCast>(&binding)) return matchCast(*cast);
  varBinding(*as<VarBinding>(&binding));
}

void RelaxChecker::matchCast(const MatchCast& binding) {
  value(binding.value);
  defineSymbols(*binding.structInfo);
  sinfo(binding.structInfo, Mode::Use, binding.span);
  define(*binding.var, binding.span);
  if (!binding.var->sinfo) {
    findings_.error(binding.span, "relax.no-struct-info", "the variable has no StructInfo");
    return;
  }
  sinfo(binding.var->sinfo, Mode::Use, binding.span);
  if (options_.checkStructInfo && ok() &&
      op::baseCheck(binding.var->sinfo, binding.structInfo, context_) == op::BaseCheck::FailL0) {
    findings_.error(binding.span, "relax.annotation",
                    fmt::format("the variable is annotated {}, but the value is cast to {}",
                                op::sinfoText(binding.var->sinfo), op::sinfoText(binding.structInfo)));
  }
}

void RelaxChecker::varBinding(const VarBinding& binding) {
  const Var& var = *binding.var;
  if (isa<Function>(binding.value)) {
    // The variable is visible in its own function: local functions may be recursive.
    if (var.sinfo) sinfo(var.sinfo, Mode::Use, binding.span);
    define(var, binding.span);
    return beginFunction(*as<Function>(binding.value));
  }
  if (const auto* branch = as<If>(binding.value)) {
    if (functions_.back().dataflow) {
      findings_.error(binding.span, "relax.if-in-dataflow", "a dataflow block may not hold an if");
    }
    leaf(branch->cond, "the condition of an if");
    define(var, binding.span);
    if (var.sinfo) sinfo(var.sinfo, Mode::Use, binding.span);
    // Each branch starts from the scope before the if; a dataflow block around it stays open for neither.
    for (const SeqExpr* seq : {branch->falseBranch.get(), branch->trueBranch.get()}) {
      tasks_.push_back({Task::LeaveScope});
      tasks_.push_back({Task::Value, seq});
      tasks_.push_back({Task::Blocks, seq, 0});
      tasks_.push_back({Task::EnterScope});
    }
    return;
  }
  value(binding.value);
  if (!var.sinfo) {
    findings_.error(binding.span, "relax.no-struct-info", "the variable has no StructInfo");
  } else {
    sinfo(var.sinfo, Mode::Use, binding.span);
  }
  define(var, binding.span);
  const StructInfo& found = binding.value->sinfo;
  if (!options_.checkStructInfo || !ok() || !var.sinfo || !found || found == var.sinfo) return;
  const op::BaseCheck match = op::baseCheck(var.sinfo, found, context_);
  // A text may know more of a call than its operator or its callee says: only what can not be so is wrong.
  if (match == op::BaseCheck::FailL0 || (match == op::BaseCheck::FailL1 && !isa<Call>(binding.value))) {
    contradiction(binding.span, "relax.annotation",
                  fmt::format("the variable is annotated {}, but its value is {}", op::sinfoText(var.sinfo),
                              op::sinfoText(found)));
  }
}

void RelaxChecker::value(const Expr& e) {
  if (const auto* c = as<Call>(e)) return call(*c);
  if (const auto* item = as<TupleGetItem>(e)) return leaf(item->tuple, "what an item is taken of");
  if (isa<SeqExpr>(e)) {
    ++errors_;
    return findings_.error(e->span, "relax.nested-seq", "a block of bindings may only be a body or a branch");
  }
  if (isa<tir::PrimFunc>(e)) {
    ++errors_;
    return findings_.error(e->span, "relax.inline-primfunc",
                           "a PrimFunc may not be written inside a Relax function; make it a member of the module");
  }
  if (isa<If>(e) || isa<Function>(e)) {
    ++errors_;
    return findings_.error(e->span, "relax.not-normal", "a branch or function has to be bound to a variable");
  }
  leaf(e, "a bound value");
}

void RelaxChecker::leaf(const Expr& root, std::string_view role) {
  std::vector<const ExprNode*>& work = leaves_;
  work.push_back(root.get());
  while (!work.empty()) {
    const ExprNode* e = work.back();
    work.pop_back();
    if (!e) continue;
    if (const auto* var = as<Var>(e)) {
      use(*var, e->span);
    } else if (const auto* global = as<GlobalVar>(e)) {
      useGlobal(*global, e->span, false);
    } else if (const auto* tuple = as<Tuple>(e)) {
      for (const Expr& item : tuple->items) work.push_back(item.get());
    } else if (const auto* shape = as<ShapeExpr>(e)) {
      for (const tir::PrimExpr& dim : shape->values) {
        if (!dim->dtype.isInt() && !dim->dtype.isUInt()) {
          findings_.error(dim->span.known() ? dim->span : e->span, "relax.shape-dtype",
                          fmt::format("a dimension must be an integer, not {}", dim->dtype.str()));
        }
        prim(dim, e->span);
      }
    } else if (const auto* number = as<PrimValue>(e)) {
      if (number->value->dtype.lanes != 1) {
        findings_.error(e->span, "relax.prim-lanes", "a primitive value may not be a vector");
      }
      prim(number->value, e->span);
    } else if (const auto* op = as<Op>(e)) {
      ++errors_;
      findings_.error(e->span, "relax.op-as-value",
                      fmt::format("operator {} may only be called, not used as a value", op->name.view()));
    } else if (!isa<Constant>(e) && !isa<StringImm>(e) && !isa<DataTypeImm>(e) && !isa<ExternFunc>(e)) {
      ++errors_;
      findings_.error(e->span, "relax.not-normal",
                      fmt::format("{} must be a variable, a constant or a tuple of them, not computed in place", role));
    }
  }
}

void RelaxChecker::use(const Var& var, Span span) {
  const Visible* visible = vars_.find(&var);
  if (!visible) {
    ++errors_;
    if (!reported_.insert(&var).second) return;
    const bool ended = boundIn_.find(&var) != nullptr;
    findings_.error(span, isa<DataflowVar>(&var) && ended ? "relax.dataflow-var-scope" : "relax.undefined-var",
                    ended
                        ? fmt::format("variable '{}' is not visible here: the scope that binds it has ended, or it is "
                                      "bound later",
                                      var.name.view())
                        : fmt::format("variable '{}' is not bound before its use", var.name.view()));
    return;
  }
  if (!isa<DataflowVar>(&var)) return;
  if (visible->functionDepth != functions_.size()) {
    findings_.error(
        span, "relax.dataflow-capture",
        fmt::format("a local function may not use dataflow variable '{}' of the function around it", var.name.view()));
  } else if (visible->dataflow != functions_.back().dataflow) {
    ++errors_;
    findings_.error(span, "relax.dataflow-var-scope",
                    fmt::format("dataflow variable '{}' is used outside of its dataflow block; name it in R.output",
                                var.name.view()));
  }
}

void RelaxChecker::useGlobal(const GlobalVar& var, Span span, bool called) {
  const GlobalVarRef own = module_.findVar(var.name.view());
  if (!own) {
    // A function on its own may call others that its text does not show.
    if (module_.size() == 1) return;
    ++errors_;
    if (!reported_.insert(&var).second) return;
    return findings_.error(span, "relax.undefined-global",
                           fmt::format("the module has no function '{}'", var.name.view()));
  }
  if (called && functions_.back().dataflow && options_.warnings && own->name == name_->name) {
    findings_.warning(span, "relax.recursion-in-dataflow",
                      fmt::format("'{}' calls itself inside a dataflow block", var.name.view()));
  }
}

}  // namespace rx::analysis
