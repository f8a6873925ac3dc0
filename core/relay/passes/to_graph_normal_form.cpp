#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Replaces variables of `let` by their values. A function that uses its own name keeps it: `let f = value; f`.
class GraphForm {
 public:
  explicit GraphForm(const Expr& root) {
    walkOnce(*root, Into::Parts, [&](const Node& node) {
      const auto* let = as<Let>(&node);
      if (let) values_[let->var.get()] = let;
      return true;
    });
    for (const auto& [var, let] : values_) {
      if (!isa<Function>(let->value)) continue;
      for (const Expr& inner : postOrder(let->value)) {
        if (inner.get() == var) recursive_.insert(var);
      }
    }
    for (const Node* var : recursive_) {
      for (const Expr& inner : postOrder(values_.at(var)->value)) inside_[inner.get()].push_back(var);
    }
  }

  Expr rewrite(const Expr& root) {
    struct Frame {
      Expr expr;
      std::vector<Expr> operands;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    auto enter = [&](const Expr& expr) {
      if (done_.contains(expr.get())) return;
      Frame frame{expr, {}, 0};
      if (isKept(expr)) {
        frame.operands = {values_.at(expr.get())->value};
      } else {
        appendOperands(*expr, frame.operands);
      }
      stack.push_back(std::move(frame));
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.operands.size()) {
        Expr operand = target(top.expr, top.operands[top.next]);
        top.operands[top.next++] = operand;
        if (!isOwnName(top.expr, operand)) enter(operand);
        continue;
      }
      const Frame frame = std::move(top);
      stack.pop_back();
      std::vector<Expr> operands;
      for (const Expr& operand : frame.operands) {
        operands.push_back(isOwnName(frame.expr, operand) ? operand : done_.at(operand.get()));
      }
      const auto var = refAs<Var>(frame.expr);
      done_[frame.expr.get()] = isKept(frame.expr) ? make<Let>(var, operands[0], var)
                                : operands.empty() ? frame.expr
                                                   : withOperands(frame.expr, operands);
    }
    return done_.at(root.get());
  }

 private:
  bool isKept(const Expr& expr) const { return recursive_.contains(expr.get()); }
  /// Whether a node is part of the function that the variable names.
  bool isOwnName(const Expr& user, const Expr& used) const {
    const auto hit = inside_.find(user.get());
    return hit != inside_.end() && std::find(hit->second.begin(), hit->second.end(), used.get()) != hit->second.end();
  }
  /// What stands for an operand: the value of its variable, the body of its bindings.
  Expr target(const Expr& user, Expr expr) const {
    for (;;) {
      if (isOwnName(user, expr)) return expr;
      const auto bound = values_.find(expr.get());
      if (bound != values_.end() && !isKept(expr)) {
        expr = bound->second->value;
      } else if (const auto* let = as<Let>(expr)) {
        expr = let->body;
      } else {
        return expr;
      }
    }
  }

  std::unordered_map<const Node*, const Let*> values_;
  std::unordered_set<const Node*> recursive_;
  std::unordered_map<const Node*, std::vector<const Node*>> inside_;
  std::unordered_map<const Node*, Expr> done_;
};

}  // namespace

Result<ir::Module> toGraphNormalForm(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    return refAs<Function>(GraphForm(function).rewrite(function));
  });
}

}  // namespace rx::relay
