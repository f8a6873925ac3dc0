#include "core/transform/lift_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/free_vars.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/op/lattice.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;

const Expr& valueOf(const relax::Binding& binding) {
  const auto* plain = as<relax::VarBinding>(binding);
  return plain ? plain->value : as<relax::MatchCast>(binding)->value;
}

size_t inputsOf(const relax::Function& function) {
  const auto count = static_cast<int64_t>(function.params.size());
  return static_cast<size_t>(std::clamp<int64_t>(ir::intAttrOf(function.attrs, "num_input", count), 0, count));
}
Array<VarRef> weightsOf(const relax::Function& function) {
  return Array<VarRef>(std::vector<VarRef>(function.params.begin() + static_cast<std::ptrdiff_t>(inputsOf(function)),
                                           function.params.end()));
}

/// Symbols that variables define, in order.
std::vector<tir::VarRef> symbolsOf(std::span<const VarRef> vars) {
  std::vector<tir::VarRef> symbols;
  VarSet seen;
  for (const VarRef& var : vars) {
    for (const tir::VarRef& symbol : op::definableSymbolsIn(var->sinfo)) {
      if (seen.insert(symbol.get()).second) symbols.push_back(symbol);
    }
  }
  return symbols;
}
void remove(std::vector<tir::VarRef>& symbols, std::span<const VarRef> toldBy) {
  const std::vector<tir::VarRef> told = symbolsOf(toldBy);
  std::erase_if(symbols, [&](const tir::VarRef& symbol) { return std::ranges::find(told, symbol) != told.end(); });
}

/// Whether a binding can be computed of what is liftable so far.
bool canLift(const relax::Binding& binding, bool inDataflow, const VarSet& liftable) {
  const Expr& value = valueOf(binding);
  if (!inDataflow || isOp(value, "relax.builtin.stop_lift_params") || isa<relax::ExternFunc>(value)) return false;
  auto known = [&](const auto& var) { return liftable.contains(var.get()); };
  return std::ranges::all_of(analysis::freeVars(value), known) &&
         std::ranges::all_of(op::symbolsIn(binding->var->sinfo), known);
}

template <class Visit>
void eachBinding(const relax::Function& function, Visit visit) {
  for (const relax::BlockRef& block : function.body->blocks) {
    for (const relax::Binding& binding : block->bindings) visit(binding, block->isDataflow());
  }
}

/// Finds bindings of several functions that are the same over the weights of the first.
class SharedCollector {
 public:
  explicit SharedCollector(SharedPlan& plan) : plan_(plan) {}

  Result<Unit> add(const relax::Function& function) {
    for (const VarRef& weight : weightsOf(function)) liftable_.insert(weight.get());
    std::vector<Diagnostic> problems;
    eachBinding(function, [&](const relax::Binding& binding, bool inDataflow) {
      if (isa<relax::MatchCast>(binding)) {
        problems.push_back(errorAt(binding->span, "pass.lift", "a match_cast can not be shared by functions"));
      } else if (canLift(binding, inDataflow, liftable_)) {
        addBinding(binding);
      }
    });
    if (!problems.empty()) return fail(std::move(problems));
    return Unit{};
  }

  void finish(size_t functions) {
    for (const Group& group : groups_) {
      if (group.bindings.size() != functions) continue;
      const relax::Binding& first = group.bindings.front();
      plan_.computable.push_back(first);
      for (const relax::Binding& binding : group.bindings) plan_.shared[binding->var.get()] = first->var;
    }
  }

 private:
  struct Group {
    NodeRef value;
    std::vector<relax::Binding> bindings;
  };

  void addBinding(const relax::Binding& binding) {
    liftable_.insert(binding->var.get());
    const NodeRef value = unified(valueOf(binding));
    const uint64_t hash = structuralHash(value);
    auto [at, end] = byHash_.equal_range(hash);
    while (at != end && !structuralEqual(groups_[at->second].value, value)) ++at;
    if (at == end) {
      at = byHash_.emplace(hash, groups_.size());
      groups_.push_back({value, {}});
    }
    Group& group = groups_[at->second];
    group.bindings.push_back(binding);
    names_[binding->var.get()] = group.bindings.front()->var;
  }
  /// The value with the variables of the first function.
  NodeRef unified(const NodeRef& value) const {
    auto renew = [&](const NodeRef& node) -> NodeRef {
      auto name = names_.find(node.get());
      if (name != names_.end()) return name->second;
      auto weight = plan_.shared.find(node.get());
      return weight == plan_.shared.end() ? nullptr : weight->second;
    };
    return rewriteNodes(value, Into::Parts, renew, [](const NodeRef& node) { return node; });
  }

  SharedPlan& plan_;
  VarSet liftable_;
  std::vector<Group> groups_;
  std::unordered_multimap<uint64_t, size_t> byHash_;
  std::unordered_map<const Node*, NodeRef> names_;  ///< of bound variables, while functions are added
};

/// The weights of a function are those of the first.
Result<Unit> matchWeights(const relax::Function& function, SharedPlan& plan) {
  const Array<VarRef> weights = weightsOf(function);
  if (weights.size() != plan.params.size()) {
    return fail("pass.lift", fmt::format("functions that share their weights have {} and {} of them",
                                         plan.params.size(), weights.size()));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const VarRef &here = weights[i], &first = plan.params[i];
    const auto own = op::definableSymbolsIn(here->sinfo), firsts = op::definableSymbolsIn(first->sinfo);
    if (!structuralEqual(here->sinfo, first->sinfo, FreeVars::Map) || own.size() != firsts.size()) {
      return fail("pass.lift",
                  fmt::format("the weights {} and {} differ in their types", here->name.view(), first->name.view()));
    }
    plan.shared[here.get()] = first;
    for (size_t j = 0; j < own.size(); ++j) {
      auto [known, fresh] = plan.shared.try_emplace(own[j].get(), firsts[j]);
      if (!fresh && known->second != firsts[j]) {
        return fail("pass.lift", fmt::format("{} would be two sizes at once", own[j]->name.view()));
      }
    }
  }
  return Unit{};
}

}  // namespace

std::vector<VarRef> LiftPlan::outputs() const {
  std::vector<VarRef> outputs;
  for (const VarRef& param : params) {
    if (neededLater.contains(param.get())) outputs.push_back(param);
  }
  for (const relax::Binding& binding : computable) {
    const relax::Var* var = binding->var.get();
    if (needsWeights.contains(var) && neededLater.contains(var)) outputs.push_back(binding->var);
  }
  return outputs;
}

std::vector<tir::VarRef> SharedPlan::symbols() const {
  std::vector<tir::VarRef> symbols = symbolsOf(params);
  std::erase_if(symbols, [&](const tir::VarRef& symbol) { return !neededLater.contains(symbol.get()); });
  remove(symbols, outputs());
  return symbols;
}

std::vector<tir::VarRef> FunctionPlan::symbols() const {
  std::vector<tir::VarRef> symbols = symbolsOf(function->params);
  std::erase_if(symbols, [&](const tir::VarRef& symbol) { return !neededLater.contains(symbol.get()); });
  remove(symbols, std::span(function->params.begin(), inputs));
  remove(symbols, outputs());
  return symbols;
}

Result<SharedPlan> sharedPlan(const std::vector<relax::FunctionRef>& functions) {
  if (functions.empty()) return fail("pass.lift", "no function says with num_input which parameters are weights");
  SharedPlan plan;
  plan.params = weightsOf(*functions[0]);
  for (const relax::FunctionRef& function : functions) RX_CHECK(matchWeights(*function, plan));
  SharedCollector collector(plan);
  for (const relax::FunctionRef& function : functions) RX_CHECK(collector.add(*function));
  collector.finish(functions.size());
  return plan;
}

FunctionPlan planOf(const relax::FunctionRef& function, SharedPlan* shared) {
  FunctionPlan plan;
  plan.function = function;
  plan.inputs = inputsOf(*function);
  plan.params = weightsOf(*function);
  VarSet liftable;
  for (const VarRef& weight : plan.params) {
    liftable.insert(weight.get());
    plan.needsWeights.insert(weight.get());
    for (const tir::VarRef& symbol : op::definableSymbolsIn(weight->sinfo)) liftable.insert(symbol.get());
  }
  const auto reads = [&](const Expr& value) {
    for (const VarRef& used : analysis::freeVars(value)) plan.neededLater.insert(used.get());
    for (const tir::VarRef& symbol : analysis::freeSymbols(value)) plan.neededLater.insert(symbol.get());
  };
  eachBinding(*function, [&](const relax::Binding& binding, bool inDataflow) {
    const relax::Var* var = binding->var.get();
    const Expr& value = valueOf(binding);
    if (canLift(binding, inDataflow, liftable) && (!shared || shared->shared.contains(var))) {
      plan.computable.push_back(binding);
      liftable.insert(var);
      for (const VarRef& used : analysis::freeVars(value)) {
        if (plan.needsWeights.contains(used.get())) plan.needsWeights.insert(var);
      }
      return;
    }
    plan.neededLater.insert(var);
    reads(value);
  });
  reads(function->body->body);
  auto note = [&](const VarSet& from, VarSet& to) {
    for (const Node* var : from) {
      auto name = shared->shared.find(var);
      to.insert(name == shared->shared.end() ? var : name->second.get());
    }
  };
  if (shared) {
    note(plan.needsWeights, shared->needsWeights);
    note(plan.neededLater, shared->neededLater);
  }
  return plan;
}

}  // namespace rx::transform
