#include "core/analysis/pattern_groups.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

class PatternGrouper {
 public:
  PatternGrouper(const PatternToGroup& wanted, FusionGroups& groups)
      : wanted_(wanted), groups_(groups), matcher_(wanted.pattern, values_) {}

  void run(const relax::Function& function) {
    walk(function, Into::Parts, [&](const Node& node) {
      if (const auto* inner = as<relax::Function>(&node)) {
        for (const relax::VarRef& param : inner->params) define(param);
      }
      if (const auto* binding = as<relax::BindingNode>(&node)) addBinding(*binding);
      return !isa<tir::ExprNode>(&node);
    });
  }

 private:
  void define(const relax::VarRef& var) { members_[groups_.add(var.get())].push_back(var.get()); }

  void addBinding(const relax::BindingNode& binding) {
    define(binding.var);
    const auto* bound = as<relax::VarBinding>(&binding);
    if (!bound) return;
    values_[binding.var.get()] = bound->value;
    boundTo_[bound->value.get()] = binding.var.get();
    if (isa<relax::Call>(bound->value) && matcher_.match(wanted_.pattern.root(), bound->value)) join(*bound);
  }

  /// Variables of the values that the match has to itself: wildcards and the like stand for what is outside.
  std::vector<const relax::Var*> innerVars(const relax::Expr& whole) const {
    std::vector<const relax::Var*> vars;
    for (PatternId part : matcher_.parts()) {
      const PatternKind kind = wanted_.pattern.nodes[part].kind;
      const relax::Expr& value = matcher_.matched(part);
      if (kind != PatternKind::Field && (kind != PatternKind::Call || value == whole)) continue;
      const auto var = boundTo_.find(value.get());
      if (var != boundTo_.end()) vars.push_back(var->second);
    }
    return vars;
  }

  void join(const relax::VarBinding& root) {
    if (wanted_.check && !wanted_.check(matcher_)) return;
    const std::vector<const relax::Var*> inner = innerVars(root.value);
    std::unordered_set<const relax::Var*> all(inner.begin(), inner.end());
    all.insert(root.var.get());
    for (const relax::Var* var : inner) {
      const uint32_t own = groups_.own(var);
      const std::vector<const relax::Var*>& earlier = members_[own];
      const bool taken = groups_[groups_.root(own)].size > 1;
      if (taken && !std::all_of(earlier.begin(), earlier.end(), [&](const auto* v) { return all.contains(v); })) return;
    }
    const uint32_t group = *groups_.find(root.var.get());
    groups_[group].attrs = ir::withAttr(groups_[group].attrs, Str("Composite"), ir::strAttr(wanted_.name));
    for (const relax::Var* var : inner) {
      if (groups_.own(var) == group) continue;
      groups_.move(groups_.own(var), group);
      members_[group].push_back(var);
    }
  }

  const PatternToGroup& wanted_;
  FusionGroups& groups_;
  BoundValues values_;
  std::unordered_map<const Node*, const relax::Var*> boundTo_;
  std::unordered_map<uint32_t, std::vector<const relax::Var*>> members_;  ///< by the group itself, not its root
  PatternMatcher matcher_;
};

}  // namespace

void addPatternGroups(const relax::Function& function, const PatternToGroup& wanted, FusionGroups& groups) {
  PatternGrouper(wanted, groups).run(function);
}

}  // namespace rx::analysis
