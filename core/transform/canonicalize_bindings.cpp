// CanonicalizeBindings: a value has one name. What is decided of a binding may depend on uses that come later, so that
// a plan is made first; then the function is rewritten by it, and outputs of dataflow blocks take over their values.
#include "core/analysis/free_vars.h"
#include "core/analysis/value_parts.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;
using VarToVar = std::unordered_map<const relax::Var*, VarRef>;

const Expr& boundValue(const relax::BindingNode& binding) {
  const auto* plain = as<relax::VarBinding>(&binding);
  return plain ? plain->value : as<relax::MatchCast>(&binding)->value;
}

struct Plan {
  VarToVar usage;    ///< what stands in the place of a variable where it is used
  VarToVar binding;  ///< and where it is bound
  std::unordered_set<const relax::Var*> removed;
  std::unordered_map<const relax::Var*, Expr> constants;  ///< variables that are a constant
};

VarRef followed(const VarToVar& map, VarRef var) {
  for (auto at = map.find(var.get()); at != map.end(); at = map.find(var.get())) var = at->second;
  return var;
}

/// What is bound to what, and where variables are used.
class Planner {
 public:
  Plan run(const relax::Function& function) {
    visitSeq(*function.body);
    Plan plan;
    for (const VarRef& var : inDataflow_) {
      if (isa<relax::DataflowVar>(var) || usedOutside_.contains(var.get())) continue;
      auto local = make<relax::DataflowVar>(var->name, var->sinfo);
      plan.binding[var.get()] = local;
      plan.usage[var.get()] = local;
    }
    plan.constants = std::move(constants_);
    for (const VarRef& var : trivial_) planAlias(var, plan);
    return plan;
  }

 private:
  void planAlias(const VarRef& var, Plan& plan) const {
    VarRef source = followed(plan.binding, sources_.at(var.get()));
    plan.removed.insert(var.get());
    const bool outlives = !isa<relax::DataflowVar>(var) && isa<relax::DataflowVar>(source);
    if (!outlives || !usedOutside_.contains(var.get())) {
      plan.usage[var.get()] = source;
      return;
    }
    // A DataflowVar is not visible where the alias is used: the alias takes its place, also where it is bound.
    plan.binding[source.get()] = var;
    plan.usage[source.get()] = var;
  }

  void visitSeq(const relax::SeqExpr& seq) {
    const relax::BindingBlock* outer = std::exchange(block_, nullptr);
    for (const relax::BlockRef& block : seq.blocks) {
      block_ = block.get();
      for (const relax::Binding& binding : block->bindings) visitBinding(*binding);
    }
    block_ = nullptr;
    visitValue(*seq.body);
    block_ = outer;
  }

  void visitBinding(const relax::BindingNode& binding) {
    const VarRef& var = binding.var;
    const bool sameInfo =
        isa<relax::VarBinding>(&binding) || op::sameStructInfo(var->sinfo, boundValue(binding)->sinfo);
    Expr value = boundValue(binding);
    if (Expr simpler = unwrapped(value)) value = simpler;
    if (auto source = refAs<relax::Var>(value); source && sameInfo) {
      sources_[var.get()] = followed(sources_, source);  // one step at most: what it is an alias of is known by now
      trivial_.push_back(var);
    }
    if (isa<relax::Constant>(value)) constants_[var.get()] = value;
    known_[var.get()] = value;
    home_[var.get()] = block_;
    visitValue(*boundValue(binding));
    if (const auto* cast = as<relax::MatchCast>(&binding)) visitValue(*cast->structInfo);
    if (block_->isDataflow()) inDataflow_.push_back(var);
  }

  void visitValue(const Node& value) {
    auto function = [&](const relax::Function& local) {
      for (const VarRef& var : analysis::freeVars(relax::FunctionRef(&local))) usedOutside_.insert(var.get());
      visitSeq(*local.body);
    };
    analysis::walkValue(value, {.variable = [&](const relax::Var& var) { noteUse(&var); },
                                .sequence = [&](const relax::SeqExpr& seq) { visitSeq(seq); },
                                .function = function});
  }

  /// A use in another dataflow block than the one that binds the variable is one outside, too.
  void noteUse(const relax::Var* var) {
    auto home = home_.find(var);
    const bool elsewhere = home != home_.end() && home->second != block_;
    if (!block_ || !block_->isDataflow() || elsewhere) usedOutside_.insert(var);
  }

  Expr resolved(Expr expr) const {
    while (const auto* var = as<relax::Var>(expr)) {
      auto at = known_.find(var);
      if (at == known_.end() || at->second == expr) break;
      expr = at->second;
    }
    return expr;
  }

  /// The field that an access of a known tuple gives, or the tuple that is taken apart and put together again; null
  /// for anything else.
  Expr unwrapped(const Expr& expr) const {
    if (const auto* get = as<relax::TupleGetItem>(expr)) {
      const Expr whole = resolved(get->tuple);
      const auto* tuple = as<relax::Tuple>(whole);
      const bool inside = tuple && get->index >= 0 && get->index < static_cast<int64_t>(tuple->items.size());
      return inside ? tuple->items[static_cast<size_t>(get->index)] : nullptr;
    }
    const auto* tuple = as<relax::Tuple>(expr);
    if (!tuple || tuple->items.empty()) return nullptr;
    Expr source;
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      const Expr item = resolved(tuple->items[i]);
      const auto* get = as<relax::TupleGetItem>(item);
      if (!get || get->index != static_cast<int64_t>(i)) return nullptr;
      const Expr from = resolved(get->tuple);
      const auto* info = as<relax::TupleStructInfo>(get->tuple->sinfo);
      if (!info || info->items.size() != tuple->items.size() || (source && !(source == from))) return nullptr;
      source = from;
    }
    return source;
  }

  const relax::BindingBlock* block_ = nullptr;  ///< null outside any block
  std::unordered_map<const relax::Var*, const relax::BindingBlock*> home_;
  std::unordered_map<const relax::Var*, Expr> known_, constants_;
  VarToVar sources_;             ///< alias -> what it is an alias of in the end
  std::vector<VarRef> trivial_;  ///< the aliases in order
  std::vector<VarRef> inDataflow_;
  std::unordered_set<const relax::Var*> usedOutside_;
};

class BindingCanonicalizer : public build::Mutator {
 public:
  BindingCanonicalizer(build::ModuleContext& context, Plan plan)
      : Mutator("CanonicalizeBindings", &context), plan_(std::move(plan)) {}

 protected:
  Expr visitVar(const VarRef& var) override {
    VarRef now = followed(plan_.usage, var);
    auto constant = plan_.constants.find(now.get());
    return constant == plan_.constants.end() ? Mutator::visitVar(now) : constant->second;
  }
  void visitBinding(const relax::Binding& binding) override {
    if (!plan_.removed.contains(binding->var.get())) Mutator::visitBinding(binding);
  }
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    Expr value = visit(binding->value);
    VarRef var = followed(plan_.binding, binding->var);
    if (var == binding->var) return rebind(binding, value);
    auto* copy = new relax::VarBinding(*binding);
    copy->var = std::move(var);
    rebind(Ref<relax::VarBinding>(copy), value);
  }
  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    VarRef var = followed(plan_.binding, binding->var);
    if (var == binding->var) return Mutator::visitMatchCast(binding);
    auto* copy = new relax::MatchCast(*binding);
    copy->var = std::move(var);
    Mutator::visitMatchCast(Ref<relax::MatchCast>(copy));
  }

 private:
  Plan plan_;
};

/// `gv = lv` at the end of a dataflow block, where nothing else needs lv: gv gets the value of lv.
class OutputInliner : public build::Mutator {
 public:
  explicit OutputInliner(build::ModuleContext& context) : Mutator("CanonicalizeBindings", &context) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    auto outer = std::exchange(inlined_, candidates(*block));
    Mutator::visitBlock(block);
    inlined_ = std::move(outer);
  }
  void visitBinding(const relax::Binding& binding) override {
    if (!inlined_.contains(binding->var.get())) Mutator::visitBinding(binding);
  }
  Expr visitVar(const VarRef& var) override {
    auto value = inlined_.find(var.get());
    return value == inlined_.end() ? Mutator::visitVar(var) : visit(value->second);
  }

 private:
  static void collectUses(const Node& value, std::unordered_set<const relax::Var*>& uses) {
    walk(value, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<relax::DataflowVar>(&node)) uses.insert(var);
      return true;
    });
  }

  /// DataflowVars whose only use is that of one output, with their values.
  static std::unordered_map<const relax::Var*, Expr> candidates(const relax::BindingBlock& block) {
    std::unordered_set<const relax::Var*> used, outputs;
    std::unordered_map<const relax::Var*, Expr> found;
    for (size_t i = block.bindings.size(); i-- > 0;) {
      const relax::BindingNode& binding = *block.bindings[i];
      const Expr& value = boundValue(binding);
      const auto* source = as<relax::DataflowVar>(value);
      if (isa<relax::DataflowVar>(binding.var)) {
        collectUses(*value, used);
        const bool once = outputs.contains(binding.var.get()) && !used.contains(binding.var.get());
        if (once && isa<relax::VarBinding>(&binding)) found[binding.var.get()] = value;
      } else if (source) {
        if (!outputs.insert(source).second) used.insert(source);
      } else {
        collectUses(*value, used);
      }
    }
    return found;
  }

  std::unordered_map<const relax::Var*, Expr> inlined_;
};

}  // namespace

Result<relax::FunctionRef> canonicalizeAliases(const relax::FunctionRef& function, build::ModuleContext& context) {
  RX_TRY(renamed, BindingCanonicalizer(context, Planner().run(*function)).rewrite(function));
  return OutputInliner(context).rewrite(renamed);
}

Result<ir::Module> canonicalizeBindings(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(module, context, [](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
    return canonicalizeBindings(function, moduleContext);
  });
}

}  // namespace rx::transform
