// ManifestLifetimes: what no code behind a binding reads any more is killed
// there. Names that stand for the same value become one first, so that none is
// killed while another lives.
#include <unordered_set>

#include "core/relay/device.h"
#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

using Variables = std::unordered_set<const Node*>;

Expr withoutDevice(const Expr& expr) {
  const auto placed = onDeviceOf(expr);
  return placed ? placed->body : expr;
}

/// The variable that a binding is another name of, or null.
Expr aliased(const Expr& value) {
  const Expr plain = withoutDevice(value);
  if (isa<Var>(plain)) return plain;
  const auto copy = deviceCopyOf(plain);
  const bool moves =
      copy && (copy->from.type != copy->to.type || copy->from.id != copy->to.id || copy->from.scope != copy->to.scope);
  return copy && !moves && isa<Var>(copy->body) ? copy->body : nullptr;
}

Expr withoutAliases(const Expr& root) {
  std::unordered_map<const Node*, Expr> by;
  for (const Expr& expr : postOrder(root)) {
    if (const auto* let = as<Let>(expr)) {
      if (const Expr other = aliased(let->value)) {
        by[let->var.get()] = other;
        by[expr.get()] = let->body;
      }
    }
    const auto* match = as<Match>(expr);
    const Expr data = match ? withoutDevice(match->data) : nullptr;
    for (size_t i = 0; isa<Var>(data) && i < match->clauses.size(); ++i) {
      if (const auto* all = as<PatternVar>(match->clauses[i]->pattern)) by[all->var.get()] = data;
    }
  }
  return by.empty() ? root : replaceExprs(root, by);
}

/// Goes backward over the bindings of a function and its branches, with the
/// variables that are still read.
class Lifetimes {
 public:
  explicit Lifetimes(const FunctionRef& function) {
    enter(function->body, {});
    while (!stack_.empty()) step();
  }
  /// The variables that are read for the last time in the value of a binding.
  const std::vector<VarRef>& endingAt(const Let& let) const {
    static const std::vector<VarRef> kNone;
    const auto hit = ending_.find(&let);
    return hit == ending_.end() ? kNone : hit->second;
  }

 private:
  struct Block {
    std::vector<Expr> parts;  ///< bindings, and the value of the block last
    Variables live;           ///< behind the part that is looked at
    std::vector<Expr> branches;
    Variables merged;  ///< at the begin of the branches so far
  };

  void enter(Expr expr, Variables live) {
    Block block;
    block.live = std::move(live);
    for (const Let* let = as<Let>(expr); let; let = as<Let>(expr)) {
      block.parts.push_back(expr);
      expr = let->body;
    }
    block.parts.push_back(expr);
    stack_.push_back(std::move(block));
    open();
  }

  static Expr valueOf(const Expr& part) {
    const auto* let = as<Let>(part);
    return withoutDevice(let ? let->value : part);
  }

  /// Begins with the last part of the block on top: its branches come first.
  void open() {
    Block& block = stack_.back();
    const Expr value = valueOf(block.parts.back());
    if (const auto* branch = as<If>(value)) block.branches = {branch->trueBranch, branch->falseBranch};
    if (const auto* match = as<Match>(value))
      for (const Ref<Clause>& clause : match->clauses) block.branches.push_back(clause->value);
    block.merged.clear();
  }

  void step() {
    Block& block = stack_.back();
    if (!block.branches.empty()) {
      const Expr next = block.branches.back();
      block.branches.pop_back();
      return enter(next, block.live);
    }
    const Expr part = block.parts.back();
    block.parts.pop_back();
    const auto* let = as<Let>(part);
    const Expr value = valueOf(part);
    const auto* branch = as<If>(value);
    const auto* match = as<Match>(value);
    if (branch || match) block.live = std::move(block.merged);
    const Expr read = branch ? branch->cond : match ? match->data : value;
    for (const VarRef& var : freeVariables(read)) {
      if (block.live.insert(var.get()).second && let) ending_[let].push_back(var);
    }
    if (let) block.live.erase(let->var.get());
    if (!block.parts.empty()) return open();
    const Variables live = std::move(block.live);
    stack_.pop_back();
    if (!stack_.empty()) stack_.back().merged.insert(live.begin(), live.end());
  }

  std::vector<Block> stack_;
  std::unordered_map<const Let*, std::vector<VarRef>> ending_;
};

FunctionRef withKills(const FunctionRef& function) {
  const FunctionRef plain = refAs<Function>(withoutAliases(function));
  const Lifetimes lifetimes(plain);
  return refAs<Function>(rewriteGraph(plain, nullptr, [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
    const auto* let = as<Let>(before);
    if (!let || lifetimes.endingAt(*let).empty()) return now;
    const auto* rebuilt = as<Let>(now);
    Expr body = rebuilt->body;
    const std::vector<VarRef>& ending = lifetimes.endingAt(*let);
    for (size_t i = ending.size(); i-- > 0;) {
      body = make<Let>(make<Var>(Str("x"), nullptr), callOp("memory.kill", {ending[i]}), body);
    }
    return make<Let>(rebuilt->var, rebuilt->value, body);
  }));
}

}  // namespace

Result<ir::Module> manifestLifetimes(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context,
                          [](const FunctionRef& function) -> Result<FunctionRef> { return withKills(function); });
}

}  // namespace rx::relay
