// CommonSubexprElim: a value that is computed more than once is computed once, bound before its first use.
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/lower/common_subexpr_plan.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

class Eliminator : public Rewriter {
 public:
  explicit Eliminator(const CommonSubexprPlan& plan) : plan_(plan) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const uint32_t value = plan_.numbers.of(*node);
    return value == ValueNumbers::kNone ? nullptr : NodeRef(plan_.variables[value]);
  }

  Stmt visit(const Stmt& statement) override {
    auto planned = plan_.before.find(statement.get());
    Stmt changed = parts(statement);
    if (planned == plan_.before.end()) return changed;
    std::vector<Stmt> list(planned->second.begin(), planned->second.end());
    if (!placed_.insert(statement.get()).second) changed = renamed(planned->second, changed, list);
    list.push_back(changed);
    return seq(list);
  }

 private:
  /// A statement that stands in several places binds its variables in each, under new identities after the first.
  static Stmt renamed(const std::vector<Ref<Bind>>& bindings, const Stmt& statement, std::vector<Stmt>& list) {
    arith::VarMap fresh;
    list.clear();
    for (const auto& binding : bindings) {
      auto variable = make<Var>(binding->var->name, binding->var->dtype);
      list.push_back(make<Bind>(variable, arith::substitute(binding->value, fresh)));
      fresh[binding->var.get()] = variable;
    }
    return substitute(statement, fresh);
  }

  const CommonSubexprPlan& plan_;
  std::unordered_set<const Node*> placed_;
};

}  // namespace

Result<PrimFuncRef> commonSubexprElim(const PrimFuncRef& func, Scope&) {
  const CommonSubexprPlan plan = planCommonSubexprs(func->body);
  if (plan.before.empty()) return func;
  return withBody(func, Eliminator(plan).rewrite(func->body));
}

}  // namespace rx::lower
