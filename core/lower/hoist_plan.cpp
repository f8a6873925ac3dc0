#include "core/lower/hoist_plan.h"

#include <algorithm>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

using Nodes = std::unordered_set<const Node*>;

/// A loop around the present place.
struct OpenLoop {
  const Node* var;
  const StmtNode* statement;
  bool sequential = false;  ///< its body does more than one thing, so no condition decides about all of it
  HoistedFromLoop found;
};

class Planner {
 public:
  explicit Planner(HoistKinds kinds) : kinds_(kinds) {}
  void statement(const StmtNode& node);
  HoistPlan finished();

 private:
  void loop(const StmtNode& node, const Node* var);
  void sequence(const SeqStmt& node);
  void parts(const StmtNode& node);
  void expr(const Node* root);
  void choice(const Node& node);
  void condition(const PrimExpr& condition, int64_t kind, bool hasElse);
  void binding(const VarRef& var, const PrimExpr& value, int64_t kind);
  OpenLoop* destination(const Nodes& loopVars);
  /// Loop variables that the expression depends on, through bindings too, and the variables of those bindings.
  struct Dependence {
    Nodes loops, bindings;
  };
  Dependence dependenceOf(const PrimExpr& expr) const;

  HoistKinds kinds_;
  std::vector<OpenLoop> open_;
  Nodes loopVars_, blockVars_;
  std::unordered_map<const Node*, Dependence> bound_;
  HoistPlan plan_;
};

Planner::Dependence Planner::dependenceOf(const PrimExpr& expr) const {
  Dependence all;
  for (const VarRef& var : arith::freeVars(expr)) {
    if (loopVars_.contains(var.get())) all.loops.insert(var.get());
    auto known = bound_.find(var.get());
    if (known == bound_.end()) continue;
    all.loops.insert(known->second.loops.begin(), known->second.loops.end());
    all.bindings.insert(var.get());
    all.bindings.insert(known->second.bindings.begin(), known->second.bindings.end());
  }
  return all;
}

/// The outermost loop that what depends on these loop variables can stand in front of; null for none.
OpenLoop* Planner::destination(const Nodes& loopVars) {
  OpenLoop* best = nullptr;
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    const bool overBlock = !isa<For>(it->statement) && !(kinds_.conditionals & HoistKinds::kOverBlocks);
    if (it->sequential || overBlock || loopVars.contains(it->var)) return best;
    best = &*it;
  }
  return best;
}

void Planner::condition(const PrimExpr& condition, int64_t kind, bool hasElse) {
  if (!(kinds_.conditionals & kind) || open_.empty()) return;
  if (effectOf(condition) != op::TirEffect::Pure) return;
  const Dependence needs = dependenceOf(condition);
  OpenLoop* target = destination(needs.loops);
  if (!target) return;
  const bool anyBinding = (kinds_.bindings & (HoistKinds::kRequired | HoistKinds::kBind)) != 0;
  if (!needs.bindings.empty() && !anyBinding) return;
  const bool ofBlock =
      std::any_of(needs.loops.begin(), needs.loops.end(), [&](const Node* var) { return blockVars_.contains(var); });
  if (ofBlock && !(kinds_.conditionals & HoistKinds::kOverBlocks)) return;
  target->found.conditions.push_back({condition, hasElse, {needs.bindings.begin(), needs.bindings.end()}});
}

void Planner::binding(const VarRef& var, const PrimExpr& value, int64_t kind) {
  Dependence needs = dependenceOf(value);
  if (OpenLoop* target = destination(needs.loops)) {
    target->found.bindings.push_back({var, value, (kinds_.bindings & kind) != 0});
  }
  bound_[var.get()] = std::move(needs);
}

void Planner::choice(const Node& node) {
  if (const auto* binary = as<BinaryNode>(&node)) {
    condition(binary->a, HoistKinds::kBoolean, true);
    condition(binary->b, HoistKinds::kBoolean, true);
  } else if (const auto* call = asCallOf(NodeRef(&node), "if_then_else")) {
    condition(call->args[0], HoistKinds::kChoice, true);
  }
}

/// Looks at an expression from the outside in, as it is evaluated.
void Planner::expr(const Node* root) {
  if (!root || open_.empty()) return;
  std::vector<const Node*> stack{root};
  Nodes lets;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!node || isa<Buffer>(node)) continue;
    if (isa<And>(node) || isa<Or>(node) || isa<tir::Call>(node)) choice(*node);
    if (const auto* let = as<Let>(node)) {
      binding(let->var, let->value, HoistKinds::kLet);
      lets.insert(let->var.get());
    }
    const size_t mark = stack.size();
    appendChildren(*node, Into::Parts, stack);
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(mark), stack.end());
  }
  for (const Node* var : lets) bound_.erase(var);
}

void Planner::parts(const StmtNode& node) {
  std::vector<const Node*> children;
  appendChildren(node, Into::Parts, children);
  for (const Node* child : children) {
    if (const auto* inner = as<StmtNode>(child)) {
      statement(*inner);
    } else if (!isa<ir::DictAttrs>(child)) {
      expr(child);
    }
  }
}

void Planner::loop(const StmtNode& node, const Node* var) {
  const bool block = !isa<For>(&node);
  open_.push_back({var, &node, false, {}});
  loopVars_.insert(var);
  if (block) blockVars_.insert(var);
  parts(node);
  plan_.loops[&node] = std::move(open_.back().found);
  open_.pop_back();
  loopVars_.erase(var);
  blockVars_.erase(var);
}

void Planner::sequence(const SeqStmt& node) {
  std::vector<const Node*> here;
  size_t others = 0;
  for (const Stmt& one : node.seq) others += isa<Bind>(one) ? 0 : 1;
  if (others > 1 && !open_.empty()) open_.back().sequential = true;
  for (const Stmt& one : node.seq) {
    if (const auto* bind = as<Bind>(one)) here.push_back(bind->var.get());
    statement(*one);
  }
  for (const Node* var : here) bound_.erase(var);
}

void Planner::statement(const StmtNode& node) {
  withStack([&] {
    if (const auto* one = as<For>(&node)) return loop(node, one->loopVar.get());
    if (const auto* attribute = as<AttrStmt>(&node)) {
      const auto* iter = as<IterVar>(attribute->node);
      const Node* var = iter ? iter->var.get() : as<Var>(attribute->node);
      return var ? loop(node, var) : parts(node);
    }
    if (const auto* list = as<SeqStmt>(&node)) return sequence(*list);
    if (const auto* bind = as<Bind>(&node)) binding(bind->var, bind->value, HoistKinds::kBind);
    if (const auto* branch = as<IfThenElse>(&node)) {
      condition(branch->condition, HoistKinds::kBranch, static_cast<bool>(branch->elseCase));
    }
    parts(node);
  });
}

HoistPlan Planner::finished() {
  for (const auto& [statement, found] : plan_.loops) {
    for (const auto& binding : found.bindings) {
      if (binding.enabled) plan_.bindings.insert(binding.var.get());
    }
    if (!(kinds_.bindings & HoistKinds::kRequired)) continue;
    for (const auto& condition : found.conditions)
      plan_.bindings.insert(condition.needs.begin(), condition.needs.end());
  }
  return std::move(plan_);
}

}  // namespace

HoistPlan planHoisting(const Stmt& body, HoistKinds kinds) {
  Planner planner(kinds);
  planner.statement(*body);
  return planner.finished();
}

}  // namespace rx::lower
