// CommonSubexprElim: a value that is computed more than once is computed once, bound before its first use.
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/lower/common_subexpr_plan.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

Stmt withCommonBound(const Stmt& body);

class Eliminator : public Rewriter {
 public:
  explicit Eliminator(const CommonSubexprPlan& plan) : plan_(plan) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const uint32_t value = plan_.numbers.of(*node);
    return value == ValueNumbers::kNone ? nullptr : NodeRef(plan_.variables[value]);
  }

  Stmt visit(const Stmt& statement) override {
    if (const auto* inner = as<Block>(statement)) return block(*inner);
    auto planned = plan_.before.find(statement.get());
    Stmt changed = parts(statement);
    if (planned == plan_.before.end()) return changed;
    std::vector<Stmt> list(planned->second.begin(), planned->second.end());
    if (!placed_.insert(statement.get()).second) changed = renamed(planned->second, changed, list);
    list.push_back(changed);
    return seq(list);
  }

 private:
  /// A block is a world of its own: nothing is bound between its axes and what it says of them.
  static Stmt block(const Block& block) {
    const Stmt init = block.init ? withCommonBound(block.init) : nullptr;
    const Stmt body = withCommonBound(block.body);
    if (init == block.init && body == block.body) return Stmt(&block);
    auto* copy = new Block(block);
    copy->init = init;
    copy->body = body;
    return Stmt(copy);
  }

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

Stmt withCommonBound(const Stmt& body) {
  const CommonSubexprPlan plan = planCommonSubexprs(body);
  return Eliminator(plan).rewrite(body);
}

}  // namespace

Result<PrimFuncRef> commonSubexprElim(const PrimFuncRef& func, Scope&) {
  const Stmt body = withCommonBound(func->body);
  return body == func->body ? func : withBody(func, body);
}

}  // namespace rx::lower
