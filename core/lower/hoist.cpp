#include "core/lower/hoist.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/lower/hoist_plan.h"
#include "core/lower/rewriter.h"
#include "core/lower/ssa.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A loop with a condition on both sides is doubled; so often at most.
constexpr int kMostDoublings = 10;

class Hoister : public Rewriter {
 public:
  explicit Hoister(const HoistPlan& plan) : plan_(plan) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* bind = as<Bind>(statement); bind && plan_.bindings.contains(bind->var.get())) return seq({});
    auto found = plan_.loops.find(statement.get());
    if (found == plan_.loops.end()) return parts(statement);
    const int outer = doublings_;
    for (const auto& condition : found->second.conditions) doublings_ += condition.hasElse ? 1 : 0;
    const int all = std::exchange(doublings_, std::min(doublings_, kMostDoublings));
    Stmt made = wrapped(parts(statement), found->second, all - doublings_);
    doublings_ = outer;
    return made;
  }

  bool changesExpressions() const override { return !plan_.bindings.empty(); }
  NodeRef enter(const NodeRef& node) override {
    const auto* let = as<Let>(node);
    return let && plan_.bindings.contains(let->var.get()) ? NodeRef(rewrite(let->body)) : nullptr;
  }

 private:
  /// `excess`: so many conditions with two sides stay where they are.
  Stmt wrapped(Stmt loop, const HoistedFromLoop& found, int excess) const {
    for (auto it = found.conditions.rbegin(); it != found.conditions.rend(); ++it) {
      if (it->hasElse && excess-- > 0) continue;
      loop = make<IfThenElse>(it->condition, loop, it->hasElse ? loop : nullptr);
    }
    std::vector<Stmt> list;
    for (const auto& binding : found.bindings) {
      if (plan_.bindings.contains(binding.var.get())) list.push_back(make<Bind>(binding.var, binding.value));
    }
    list.push_back(loop);
    return seq(list);
  }

  const HoistPlan& plan_;
  int doublings_ = 0;  ///< of the loops around
};

}  // namespace

Stmt hoisted(const Stmt& body, HoistKinds kinds) {
  const HoistPlan plan = planHoisting(body, kinds);
  return toSsa(Hoister(plan).rewrite(body));
}

}  // namespace rx::lower
