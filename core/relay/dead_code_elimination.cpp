#include <unordered_map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/op_table.h"
#include "core/relay/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Which bindings of a function have to stay, and how often each variable is used.
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
    std::vector<Expr> waiting{root};
    std::unordered_set<const Node*> met;
    auto need = [&](const Expr& expr) {
      if (isa<Var>(expr)) {
        const size_t count = ++uses_[expr.get()];
        const auto value = values_.find(expr.get());
        if (count == 1 && value != values_.end()) waiting.push_back(value->second);
      } else {
        waiting.push_back(expr);
      }
    };
    std::vector<Expr> operands;
    while (!waiting.empty()) {
      const Expr expr = waiting.back();
      waiting.pop_back();
      if (isa<Var>(expr)) {
        need(expr);
        continue;
      }
      if (!met.insert(expr.get()).second) continue;
      if (const auto* let = as<Let>(expr)) {
        if (!ignoreEffects_ && hasEffects(let->value)) {
          kept_.insert(let);
          waiting.push_back(let->value);
        }
        need(let->body);
        continue;
      }
      operands.clear();
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) need(operand);
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
  std::unordered_map<const Node*, size_t> uses_;
  std::unordered_set<const Node*> kept_;
};

}  // namespace

Result<ir::Module> deadCodeElimination(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const bool inlines = ir::boolAttrOf(given, "inline_once", false);
  const bool ignores = ir::boolAttrOf(given, "ignore_impurity", false);
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    const Liveness live(function, *module, ignores);
    std::unordered_map<const Node*, NodeRef> inlined;  // values of variables that are used once
    auto post = [&](const NodeRef& before, const NodeRef& rebuilt) -> NodeRef {
      const auto* let = as<Let>(before);
      const bool gone = let && (live.isDead(*let) || (inlines && live.isUsedOnce(*let)));
      return gone ? NodeRef(as<Let>(rebuilt)->body) : rebuilt;
    };
    FunctionRef out = refAs<Function>(rewriteGraph(function, nullptr, post));
    if (!inlines) return out;
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      const auto* let = as<Let>(&node);
      if (let && live.isUsedOnce(*let)) inlined[let->var.get()] = let->value;
      return true;
    });
    // A value may hold a variable that is inlined in its turn: until none is left.
    for (bool again = !inlined.empty(); again;) {
      again = false;
      out = refAs<Function>(rewriteGraph(
          out,
          [&](const NodeRef& node) -> NodeRef {
            const auto hit = inlined.find(node.get());
            again = again || hit != inlined.end();
            return hit == inlined.end() ? nullptr : hit->second;
          },
          nullptr));
    }
    return out;
  });
}

}  // namespace rx::relay
