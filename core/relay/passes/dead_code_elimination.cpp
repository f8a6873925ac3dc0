#include <unordered_map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/op_table.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Which bindings of a function have to stay, and how often each variable is used; in an inner function that is often.
class Liveness {
 public:
  Liveness(const FunctionRef& function, const ir::IRModule& module, bool ignoreEffects)
      : module_(module), ignoreEffects_(ignoreEffects) {
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      if (const auto* let = as<Let>(&node)) values_[let->var.get()] = let->value;
      return true;
    });
    visit(function);
  }
  bool isDead(const Let& let) const { return !uses_.contains(let.var.get()) && !kept_.contains(&let); }
  bool isUsedOnce(const Let& let) const {
    const auto hit = uses_.find(let.var.get());
    return hit != uses_.end() && hit->second == 1 && !kept_.contains(&let);
  }

 private:
  /// Marks what is needed: bodies of bindings at once, their values when the variable is met, or when they do
  /// something.
  void visit(const Expr& root) {
    struct Place {
      Expr expr;
      size_t depth;  ///< of functions around it
    };
    std::vector<Place> waiting{{root, 0}};
    std::unordered_set<const Node*> met;
    auto need = [&](const Expr& expr, size_t depth) {
      if (!isa<Var>(expr)) return waiting.push_back({expr, depth});
      const bool isFirst = ++uses_[expr.get()] == 1;
      const auto value = values_.find(expr.get());
      if (value == values_.end()) return;
      if (isFirst) waiting.push_back({value->second, depth});
      if (depths_[expr.get()] < depth) ++uses_[expr.get()];  // a function may run more than once
    };
    std::vector<Expr> operands;
    while (!waiting.empty()) {
      const auto [expr, depth] = waiting.back();
      waiting.pop_back();
      if (isa<Var>(expr)) {
        need(expr, depth);
        continue;
      }
      if (!met.insert(expr.get()).second) continue;
      if (const auto* let = as<Let>(expr)) {
        depths_[let->var.get()] = depth;
        if (!ignoreEffects_ && hasEffects(let->value)) {
          kept_.insert(let);
          waiting.push_back({let->value, depth});
        }
        need(let->body, depth);
        continue;
      }
      operands.clear();
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) need(operand, depth + (isa<Function>(expr) ? 1 : 0));
    }
  }

  /// Whether computing a value does more than giving it. A function does nothing before it is called.
  bool hasEffects(const Expr& value) {
    std::vector<Expr> waiting{value};
    std::unordered_set<const Node*> met;
    std::vector<Expr> operands;
    while (!waiting.empty()) {
      const Expr expr = waiting.back();
      waiting.pop_back();
      if (isa<Function>(expr) || !met.insert(expr.get()).second) continue;
      if (isa<RefWrite>(expr) || isa<RefRead>(expr)) return true;
      if (const auto* call = as<Call>(expr)) {
        const OpRow* row = calledOperator(expr);
        if (row && row->stateful) return true;
        if (!row && !isa<Constructor>(call->op)) {
          const Expr body = bodyOf(call->op);
          if (!body) return true;
          waiting.push_back(body);
        }
      }
      operands.clear();
      appendOperands(*expr, operands);
      waiting.insert(waiting.end(), operands.begin(), operands.end());
    }
    return false;
  }

  /// The body of a function that is known where it is called; null.
  Expr bodyOf(Expr callee) const {
    if (const auto bound = values_.find(callee.get()); bound != values_.end()) callee = bound->second;
    ir::BaseFunc global;
    if (const auto* name = as<relax::GlobalVar>(callee)) global = module_.find(name);
    const auto function = global ? refAs<Function>(global) : refAs<Function>(callee);
    return function ? function->body : nullptr;
  }

  const ir::IRModule& module_;
  bool ignoreEffects_;
  std::unordered_map<const Node*, Expr> values_;
  std::unordered_map<const Node*, size_t> uses_, depths_;
  std::unordered_set<const Node*> kept_;
};

}  // namespace

Result<ir::Module> deadCodeElimination(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const bool inlines = ir::boolAttrOf(given, "inline_once", false);
  const bool ignores = ir::boolAttrOf(given, "ignore_impurity", false);
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    const Liveness live(function, *module, ignores);
    std::unordered_map<const Node*, Expr> by;  // bindings that go, and values of variables that are used once
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      const auto* let = as<Let>(&node);
      if (!let) return true;
      const bool isInlined = inlines && live.isUsedOnce(*let);
      if (isInlined) by[let->var.get()] = let->value;
      if (isInlined || live.isDead(*let)) by[let] = let->body;
      return true;
    });
    return by.empty() ? function : refAs<Function>(replaceExprs(function, by));
  });
}

}  // namespace rx::relay
