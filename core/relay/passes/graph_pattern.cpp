#include "core/relay/passes/graph_pattern.h"

#include <unordered_set>

#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

using Kind = GraphPattern::Kind;

PatternRef pattern(GraphPattern made) { return std::make_shared<const GraphPattern>(std::move(made)); }

/// Who uses the expressions of a graph.
class Users {
 public:
  explicit Users(const std::vector<Expr>& order) {
    std::vector<Expr> operands;
    for (const Expr& expr : order) {
      operands.clear();
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) users_[operand.get()].push_back(expr.get());
    }
  }
  /// Whether all that the rule looked into is used by itself and the root alone.
  bool areInside(const Node* root, const std::vector<const Node*>& inner) const {
    const std::unordered_set<const Node*> all(inner.begin(), inner.end());
    return std::all_of(inner.begin(), inner.end(), [&](const Node* node) {
      const auto users = users_.find(node);
      return node == root || users == users_.end() ||
             std::all_of(users->second.begin(), users->second.end(),
                         [&](const Node* user) { return user == root || all.contains(user); });
    });
  }

 private:
  std::unordered_map<const Node*, std::vector<const Node*>> users_;
};

}  // namespace

PatternRef anyExpr() { return pattern({Kind::Any, {}, nullptr, {}}); }
PatternRef anyConstant() { return pattern({Kind::Constant, {}, nullptr, {}}); }
PatternRef callOf(std::vector<std::string_view> ops, std::vector<PatternRef> args) {
  return pattern({Kind::Call, std::move(ops), nullptr, std::move(args)});
}
PatternRef callWhere(std::function<bool(const OpRow&)> fits, std::vector<PatternRef> args) {
  return pattern({Kind::Call, {}, std::move(fits), std::move(args)});
}
PatternRef either(std::vector<PatternRef> alternatives) {
  return pattern({Kind::Either, {}, nullptr, std::move(alternatives)});
}

// The depth is that of a pattern, which is written by hand.
bool PatternMatch::match(const PatternRef& pattern, const Expr& expr) {
  if (const auto hit = found_.find(pattern.get()); hit != found_.end()) return hit->second == expr;
  const size_t mark = order_.size();
  if (!matchNew(*pattern, expr)) {
    forget(mark);
    return false;
  }
  found_[pattern.get()] = expr;
  order_.push_back(pattern.get());
  return true;
}

bool PatternMatch::matchNew(const GraphPattern& pattern, const Expr& expr) {
  if (pattern.kind == Kind::Any) return true;
  if (pattern.kind == Kind::Constant) return isa<Constant>(expr);
  if (pattern.kind == Kind::Either) {
    return std::any_of(pattern.parts.begin(), pattern.parts.end(),
                       [&](const PatternRef& each) { return match(each, expr); });
  }
  const OpRow* row = calledOperator(expr);
  const bool fits =
      row && (pattern.fits ? pattern.fits(*row)
                           : std::find(pattern.ops.begin(), pattern.ops.end(), row->name) != pattern.ops.end());
  if (!fits) return false;
  const auto* call = as<Call>(expr);
  if (call->args.size() != pattern.parts.size()) return false;
  if (matchArgs(*call, pattern.parts.data(), pattern.parts.size(), false)) return true;
  const bool commutes = !pattern.fits && (row->name == "add" || row->name == "multiply");
  return commutes && matchArgs(*call, pattern.parts.data(), pattern.parts.size(), true);
}

bool PatternMatch::matchArgs(const Call& call, const PatternRef* args, size_t count, bool swapped) {
  const size_t mark = order_.size();
  for (size_t i = 0; i < count; ++i) {
    if (match(args[swapped ? count - 1 - i : i], call.args[i])) continue;
    forget(mark);
    return false;
  }
  return true;
}

void PatternMatch::forget(size_t mark) {
  while (order_.size() > mark) {
    found_.erase(order_.back());
    order_.pop_back();
  }
}

std::vector<const Node*> PatternMatch::calls() const {
  std::vector<const Node*> out;
  for (const GraphPattern* pattern : order_) {
    if (pattern->kind == Kind::Call) out.push_back(found_.at(pattern).get());
  }
  return out;
}

PatternRule ruleOf(PatternRef pattern, std::function<Expr(const Call& root, const PatternMatch&)> make) {
  return [pattern = std::move(pattern), make = std::move(make)](const Expr& expr) -> PatternRewrite {
    PatternMatch match;
    if (!match.match(pattern, expr)) return {};
    return {make(*as<Call>(expr), match), match.calls()};
  };
}

Expr rewrittenOnce(const Expr& root, const PatternRule& rule) {
  const std::vector<Expr> order = postOrder(root);
  const Users users(order);
  std::unordered_set<const Node*> taken;
  std::unordered_map<const Node*, Expr> replaced;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!isa<Call>(*it) || taken.contains(it->get())) continue;
    const PatternRewrite made = rule(*it);
    const bool overlaps =
        std::any_of(made.inner.begin(), made.inner.end(), [&](const Node* node) { return taken.contains(node); });
    if (!made.made || made.made == *it || overlaps || !users.areInside(it->get(), made.inner)) continue;
    taken.insert(it->get());
    taken.insert(made.inner.begin(), made.inner.end());
    replaced[it->get()] = made.made;
  }
  return replaced.empty() ? root : replaceExprs(root, replaced);
}

Result<ir::Module> rewriteByRules(const ir::Module& module, pass::PassContext& context,
                                  const std::vector<PatternRule>& rules) {
  constexpr size_t kMaxApplications = 100;  // as TVM gives up
  RX_TRY(typed, inferTypes(module, context.cancel));
  ir::Module now = typed;
  bool changed = true;
  for (size_t count = 0; changed && count < kMaxApplications;) {
    changed = false;
    for (const PatternRule& rule : rules) {
      ++count;
      RX_TRY(rewritten, onFunctions(now, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
               return refAs<Function>(rewrittenOnce(function, rule));
             }));
      if (rewritten == now) continue;
      changed = true;
      RX_TRY(again, inferTypes(rewritten, context.cancel));
      now = again;
    }
  }
  return now;
}

}  // namespace rx::relay
