#include "core/relay/scopes.h"

#include <algorithm>

#include "core/ir/reflect.h"
#include "core/ir/relay_bindings.h"

namespace rx::relay {

Scopes::Scopes(const Expr& root) {
  collect(root);
  place();
}

uint32_t Scopes::node(const Expr& expr) {
  const auto [at, fresh] = nodeOf_.emplace(expr.get(), static_cast<uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({expr, false, {}});
  return at->second;
}

uint32_t Scopes::newBlock(const Expr& owner, std::vector<Step>& steps) {
  const auto block = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({nullptr, true, {}});
  blocks_[owner.get()].push_back(block);
  steps.push_back({nodeOf_.at(owner.get()), nullptr, block});
  return block;
}

/// What a node uses, in the order in which TVM meets it: the order decides what counts as the first use.
std::vector<Scopes::Step> Scopes::stepsOf(const Expr& expr, uint32_t self) {
  std::vector<Step> steps;
  auto use = [&](uint32_t user, const Expr& used) { steps.push_back({user, used, 0}); };
  if (const auto* call = as<Call>(expr)) {
    use(self, call->op);
    for (const Expr& arg : call->args) use(self, arg);
  } else if (const auto* tuple = as<Tuple>(expr)) {
    for (const Expr& item : tuple->items) use(self, item);
  } else if (const auto* item = as<TupleGetItem>(expr)) {
    use(self, item->tuple);
  } else if (const auto* made = as<RefCreate>(expr)) {
    use(self, made->value);
  } else if (const auto* read = as<RefRead>(expr)) {
    use(self, read->ref);
  } else if (const auto* write = as<RefWrite>(expr)) {
    use(self, write->ref);
    use(self, write->value);
  } else if (const auto* branch = as<If>(expr)) {
    use(self, branch->cond);
    const uint32_t then = newBlock(expr, steps), other = newBlock(expr, steps);
    use(then, branch->trueBranch);
    use(other, branch->falseBranch);
  } else if (const auto* function = as<Function>(expr)) {
    const uint32_t body = newBlock(expr, steps);
    for (const VarRef& param : function->params) use(body, param);
    use(body, function->body);
  } else if (const auto* let = as<Let>(expr)) {
    const uint32_t body = newBlock(expr, steps);
    use(body, let->var);
    use(body, let->value);
    use(body, let->body);
  } else if (const auto* match = as<Match>(expr)) {
    use(self, match->data);
    for (const Ref<Clause>& clause : match->clauses) use(newBlock(expr, steps), clause->value);
  }
  return steps;
}

void Scopes::collect(const Expr& root) {
  std::vector<Frame> stack;
  std::unordered_set<const Node*> met;
  auto enter = [&](const Expr& expr) {
    if (!met.insert(expr.get()).second) return;
    const uint32_t self = node(expr);
    const bool isDataflow = isa<Call>(expr) || isa<Tuple>(expr) || isa<TupleGetItem>(expr);
    stack.push_back({expr, stepsOf(expr, self), 0, isDataflow});
  };
  auto link = [&](const Step& step) { nodes_[step.used ? node(step.used) : step.block].users.push_back(step.user); };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    // A use counts once what is used was met; those of calls and tuples once all of them were.
    if (top.next > 0 && !top.linkAtEnd) link(top.steps[top.next - 1]);
    if (top.next < top.steps.size()) {
      const Step step = top.steps[top.next++];
      if (step.used) enter(step.used);
      continue;
    }
    if (top.linkAtEnd) {
      for (const Step& step : top.steps) link(step);
    }
    const auto blocks = blocks_.find(top.expr.get());
    if (blocks != blocks_.end()) order_.insert(order_.end(), blocks->second.rbegin(), blocks->second.rend());
    order_.push_back(nodeOf_.at(top.expr.get()));
    stack.pop_back();
  }
}

uint32_t Scopes::openScope(uint32_t parent) {
  const auto made = static_cast<uint32_t>(scopes_.size());
  const Scope above = scopes_[parent], jump = scopes_[above.jump], farther = scopes_[jump.jump];
  const bool even = above.level - jump.level == jump.level - farther.level;
  scopes_.push_back({above.level + 1, parent, even ? jump.jump : parent});
  return made;
}

uint32_t Scopes::common(uint32_t a, uint32_t b) const {
  while (scopes_[a].level != scopes_[b].level) {
    uint32_t& deeper = scopes_[a].level > scopes_[b].level ? a : b;
    const uint32_t level = std::min(scopes_[a].level, scopes_[b].level);
    deeper = scopes_[scopes_[deeper].jump].level >= level ? scopes_[deeper].jump : scopes_[deeper].parent;
  }
  while (a != b) {
    const bool far = scopes_[a].jump != scopes_[b].jump;
    a = far ? scopes_[a].jump : scopes_[a].parent;
    b = far ? scopes_[b].jump : scopes_[b].parent;
  }
  return a;
}

void Scopes::place() {
  scopes_.push_back({0, 0, 0});
  scopeOf_.resize(nodes_.size());
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const DependencyNode& node = nodes_[*it];
    uint32_t scope = 0;
    if (!node.users.empty()) {
      const uint32_t first = scopeOf_[node.users.front()];
      scope = first;
      for (uint32_t user : node.users) scope = common(scope, scopeOf_[user]);
      if (scope != first && node.expr && !isa<Op>(node.expr)) lifted_.insert(node.expr.get());
    }
    scopeOf_[*it] = node.opensScope ? openScope(scope) : scope;
  }
}

std::vector<VarRef> escapedVariables(const Expr& function) {
  std::vector<VarRef> escaped;
  const auto uses = partsOf(function);
  // Text binds what it names: only a node with several users can carry a variable out of its block.
  const bool shares = std::any_of(uses.begin(), uses.end(), [](const auto& use) {
    const auto* expr = as<relax::ExprNode>(use.first);
    return use.second > 1 && expr && !isLeaf(*expr);
  });
  if (!shares) return escaped;
  const Scopes scopes(function);
  auto bind = [&](const VarRef& var, const Expr& owner, size_t block) {
    if (scopes.has(var) && !scopes.isInside(scopes.of(var), scopes.block(owner, block))) escaped.push_back(var);
  };
  walkOnce(*function, Into::Parts, [&](const Node& node) {
    const auto* owner = as<relax::ExprNode>(&node);
    if (!owner || !scopes.has(Expr(owner))) return true;
    if (const auto* let = as<Let>(&node)) bind(let->var, Expr(owner), 0);
    const auto* inner = as<Function>(&node);
    for (size_t p = 0; inner && p < inner->params.size(); ++p) bind(inner->params[p], Expr(owner), 0);
    const auto* match = as<Match>(&node);
    for (size_t c = 0; match && c < match->clauses.size(); ++c) {
      walk(*match->clauses[c]->pattern, Into::Parts, [&](const Node& part) {
        if (const auto* bound = as<PatternVar>(&part)) bind(bound->var, Expr(owner), c);
        return true;
      });
    }
    return true;
  });
  return escaped;
}

}  // namespace rx::relay
