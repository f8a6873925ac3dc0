#include "core/analysis/pattern_search.h"

#include <algorithm>

#include "core/analysis/pattern_matcher.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::analysis {

namespace {

using relax::VarRef;

class PatternSearch {
 public:
  PatternSearch(const DataflowPattern& pattern, const CancelToken& cancel)
      : pattern_(pattern), cancel_(cancel), matcher_(pattern, values_) {}

  void run(const relax::GlobalVarRef& name, const relax::Function& function) {
    std::vector<const relax::VarBinding*> bindings;
    walk(function, Into::Parts, [&](const Node& node) {
      const auto* binding = as<relax::VarBinding>(&node);
      if (binding) bindings.push_back(binding);
      return !isa<tir::ExprNode>(&node);
    });
    for (const auto* binding : bindings) {
      values_[binding->var.get()] = binding->value;
      if (pattern_.sequence.size() > 1) noteUses(*binding);
    }
    for (const auto* binding : bindings) {
      if (cancel_.cancelled()) return;
      if (matches(pattern_.sequence.size() - 1, binding->var)) places.push_back({name, relax::Binding(binding)});
    }
  }

  std::vector<PatternPlace> places;

 private:
  void noteUses(const relax::VarBinding& binding) {
    std::vector<VarRef>& mentioned = mentions_[binding.var.get()];
    walk(*binding.value, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      if (!var) return !isa<tir::ExprNode>(&node);
      if (std::find(mentioned.begin(), mentioned.end(), VarRef(var)) == mentioned.end()) ++users_[var];
      mentioned.push_back(VarRef(var));
      return true;
    });
  }

  /// Whether the pattern at this place of the sequence matches the variable, and those before it what it uses.
  bool matches(size_t place, const VarRef& var) {
    if (!matcher_.match(pattern_.sequence[place], var)) return false;
    if (place == 0) return true;
    const PatternLink& link = pattern_.links[place - 1];
    const std::vector<VarRef>& used = mentions_[var.get()];
    for (size_t i = 0; i < used.size(); ++i) {
      if (link.index >= 0 && static_cast<size_t>(link.index) != i) continue;
      if (link.only && users_[used[i].get()] != 1) continue;
      if (withStack([&] { return matches(place - 1, used[i]); })) return true;
    }
    return false;
  }

  const DataflowPattern& pattern_;
  const CancelToken& cancel_;
  BoundValues values_;
  std::unordered_map<const relax::Var*, std::vector<VarRef>> mentions_;  ///< of a bound variable, what its value uses
  std::unordered_map<const relax::Var*, size_t> users_;
  PatternMatcher matcher_;
};

}  // namespace

std::vector<PatternPlace> findPattern(const ir::IRModule& module, const DataflowPattern& pattern,
                                      const CancelToken& cancel) {
  PatternSearch search(pattern, cancel);
  for (size_t i = 0; i < module.size(); ++i) {
    const auto* function = as<relax::Function>(module.functions[i]);
    if (function) search.run(module.vars[i], *function);
  }
  return std::move(search.places);
}

}  // namespace rx::analysis
