#include <unordered_set>

#include "core/relay/passes/device_planning.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

using Id = DeviceDomains::Id;

bool isPrimitive(const Expr& expr) {
  const auto* function = as<Function>(expr);
  return function && ir::intAttrOf(function->attrs, "Primitive", 0) != 0;
}

/// Every expression of a function once, before its operands; bodies of primitive functions are not entered.
std::vector<Expr> reached(const Expr& root) {
  std::vector<Expr> order, todo{root};
  std::unordered_set<const Node*> seen;
  while (!todo.empty()) {
    const Expr expr = todo.back();
    todo.pop_back();
    if (!seen.insert(expr.get()).second) continue;
    order.push_back(expr);
    if (isPrimitive(expr)) continue;
    const std::vector<Expr> operands = operandsInOrder(expr);
    todo.insert(todo.end(), operands.rbegin(), operands.rend());
  }
  return order;
}

class Analyzer {
 public:
  explicit Analyzer(DeviceDomains& domains) : domains_(domains) {}

  void visit(const Expr& expr) {
    if (const auto* call = as<Call>(expr)) {
      this->call(*call);
    } else if (const auto* function = as<Function>(expr)) {
      this->function(*function);
    } else if (const auto* let = as<Let>(expr)) {
      exact(let->var, let->value);
      exact(expr, let->body);
    } else if (const auto* tuple = as<Tuple>(expr)) {
      for (const Expr& item : tuple->items) collapsed(expr, item);
    } else if (const auto* item = as<TupleGetItem>(expr)) {
      collapsed(item->tuple, expr);
    } else if (const auto* branch = as<If>(expr)) {
      collapsed(branch->cond, expr);
      exact(branch->trueBranch, expr);
      exact(branch->falseBranch, expr);
    } else if (const auto* match = as<Match>(expr)) {
      this->match(*match);
    } else if (const auto* made = as<RefCreate>(expr)) {
      collapsed(expr, made->value);
    } else if (const auto* read = as<RefRead>(expr)) {
      collapsed(read->ref, expr);
    } else if (const auto* write = as<RefWrite>(expr)) {
      collapsed(write->ref, write->value);
      collapsed(expr, write->value);
    }
  }

 private:
  void unify(const Expr& expr, Id a, Id b) {
    if (!domains_.unify(a, b)) domains_.refuse(expr);
  }
  void exact(const Expr& a, const Expr& b) { unify(a, domains_.of(a), domains_.of(b)); }
  void collapsed(const Expr& value, const Expr& other) {
    if (!domains_.collapse(domains_.of(value), domains_.of(other))) domains_.refuse(value);
  }

  void call(const Call& call) {
    const std::vector<Id> callee = domains_.parts(domains_.ofCallee(Ref<Call>(&call)));
    if (callee.size() != call.args.size() + 1) return domains_.refuse(Expr(&call));
    for (size_t i = 0; i < call.args.size(); ++i) unify(call.args[i], callee[i], domains_.of(call.args[i]));
    unify(Expr(&call), callee.back(), domains_.of(Expr(&call)));
  }

  void function(const Function& function) {
    const std::vector<Id> parts = domains_.parts(domains_.of(Expr(&function)));
    if (parts.size() != function.params.size() + 1) return domains_.refuse(Expr(&function));
    auto annotated = [&](const Expr& expr, const NodeRef& annotation) {
      const Device device = deviceOf(annotation);
      if (!device.isOpen()) unify(expr, domains_.of(expr), domains_.placed(typeOf(expr), device));
    };
    unify(function.body, domains_.of(function.body), parts.back());
    annotated(function.body, function.virtualDevice);
    for (size_t i = 0; i < function.params.size(); ++i) {
      unify(function.params[i], domains_.of(function.params[i]), parts[i]);
      annotated(function.params[i], function.params[i]->virtualDevice);
    }
  }

  void match(const Match& match) {
    collapsed(match.data, Expr(&match));
    for (const Ref<Clause>& clause : match.clauses) {
      std::vector<NodeRef> patterns{clause->pattern};
      while (!patterns.empty()) {
        const NodeRef pattern = patterns.back();
        patterns.pop_back();
        if (const auto* var = as<PatternVar>(pattern)) {
          collapsed(match.data, var->var);
        } else if (const auto* made = as<PatternConstructor>(pattern)) {
          patterns.insert(patterns.end(), made->patterns.begin(), made->patterns.end());
        } else if (const auto* tuple = as<PatternTuple>(pattern)) {
          patterns.insert(patterns.end(), tuple->patterns.begin(), tuple->patterns.end());
        }
      }
      exact(clause->value, Expr(&match));
    }
  }

  DeviceDomains& domains_;
};

/// Gives what is open the device of what holds it.
void complete(const Expr& expr, DeviceDomains& domains, const Device& fallback) {
  if (isa<Call>(expr)) {
    domains.completeResultFirst(domains.ofCallee(refAs<Call>(expr)), fallback);
  } else if (isa<Function>(expr) && !isPrimitive(expr)) {
    domains.completeResultFirst(domains.of(expr), fallback);
  } else if (const auto* let = as<Let>(expr)) {
    const Device device = domains.result(domains.of(expr));
    domains.complete(domains.of(let->var), device);
  }
}

}  // namespace

std::vector<Expr> operandsInOrder(const Expr& expr) {
  std::vector<Expr> operands;
  appendOperands(*expr, operands);
  if (isa<Call>(expr)) std::rotate(operands.begin(), operands.end() - 1, operands.end());
  return operands;
}

void analyzeDevices(const ir::Module& module, DeviceDomains& domains) {
  for (const auto& [var, function] : module->entries()) {
    if (isa<Function>(function)) domains.bind(*var, function);
  }
  Analyzer analyzer(domains);
  for (const FunctionRef& function : openFunctions(module)) {
    for (const Expr& expr : reached(function)) analyzer.visit(expr);
  }
}

void completeDevices(const ir::Module& module, DeviceDomains& domains, const Device& fallback) {
  for (const FunctionRef& function : openFunctions(module)) {
    for (const Expr& expr : postOrder(function)) {
      const auto mark = onDeviceOf(expr);
      if (mark && !mark->constrainsBody && !mark->constrainsResult) {
        domains.tryUnify(domains.of(expr), domains.of(mark->body));
      }
    }
  }
  for (const FunctionRef& function : openFunctions(module)) {
    for (const Expr& expr : reached(function)) complete(expr, domains, fallback);
  }
}

}  // namespace rx::relay
