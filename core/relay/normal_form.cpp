#include "core/relay/normal_form.h"

#include <unordered_map>

#include "core/relay/rewrite.h"
#include "core/relay/scopes.h"

namespace rx::relay {

namespace {

class Filler {
 public:
  Filler(const Expr& root, NormalForm form) : root_(root), form_(form), scopes_(root), bindings_(scopes_.count()) {}

  Expr run() {
    enter(root_, nullptr);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.results.size() < top.operands.size()) {
        const size_t i = top.results.size();
        const auto* let = as<Let>(top.expr);
        enter(top.operands[i], let && i == 0 ? let->var : nullptr);
        continue;
      }
      const Frame frame = std::move(top);
      stack_.pop_back();
      give(frame.expr, finished(frame));
    }
    return result_;
  }

 private:
  struct Frame {
    Expr expr;
    VarRef var;  ///< that a `let` binds the value to; null
    std::vector<Expr> operands;
    std::vector<Expr> results;
  };
  struct Binding {
    VarRef var;
    Expr value;
  };

  void enter(const Expr& expr, const VarRef& var) {
    if (const auto known = done_.find(expr.get()); known != done_.end()) {
      if (var) bindings_[scopes_.of(expr)].push_back({var, known->second});
      return accept(known->second);
    }
    Frame frame{expr, var, {}, {}};
    const auto* function = as<Function>(expr);
    const bool isPrimitive = function && ir::intAttrOf(function->attrs, "Primitive", 0) != 0;
    if (!isPrimitive) appendOperands(*expr, frame.operands);
    stack_.push_back(std::move(frame));
  }

  void give(const Expr& expr, const Expr& value) {
    done_[expr.get()] = value;
    accept(value);
  }
  /// Hands a value to whoever waits for it: behind the bindings of its block, where it is that of one.
  void accept(const Expr& value) {
    if (stack_.empty()) {
      result_ = value;
      return;
    }
    Frame& user = stack_.back();
    const std::optional<size_t> block = blockOf(user.expr, user.results.size());
    user.results.push_back(block ? closed(scopes_.block(user.expr, *block), value) : value);
  }

  /// The block of a node that its i-th operand is the value of.
  static std::optional<size_t> blockOf(const Expr& expr, size_t i) {
    if (isa<Function>(expr)) return 0;
    const bool binds = isa<Let>(expr), chooses = isa<If>(expr) || isa<Match>(expr);
    if (i == 0 || (!binds && !chooses)) return std::nullopt;
    return i - 1;
  }

  Expr closed(size_t scope, Expr value) {
    std::vector<Binding>& list = bindings_[scope];
    for (auto it = list.rbegin(); it != list.rend(); ++it) value = make<Let>(it->var, it->value, value);
    list.clear();
    return value;
  }

  Expr finished(const Frame& frame) {
    const Expr& expr = frame.expr;
    if (isa<Var>(expr) || isa<Op>(expr) || isa<relax::GlobalVar>(expr) || isa<Constructor>(expr)) {
      return frame.var ? bound(expr, expr, frame.var) : expr;
    }
    if (isa<Let>(expr)) return compound(expr, frame.results[1], frame.var);
    const Expr rebuilt = frame.operands.empty() ? expr : withOperands(expr, frame.results);
    return expr == root_ ? rebuilt : compound(expr, rebuilt, frame.var);
  }

  Expr bound(const Expr& expr, const Expr& value, const VarRef& var) {
    bindings_[scopes_.of(expr)].push_back({var, value});
    return var;
  }

  Expr compound(const Expr& expr, const Expr& value, const VarRef& var) {
    if (!var && form_ == NormalForm::BasicBlock && !scopes_.isLifted(expr)) return value;
    Expr last = value;
    while (const auto* let = as<Let>(last)) {  // bindings inside a value come before it
      bindings_[scopes_.of(expr)].push_back({let->var, let->value});
      last = let->body;
    }
    return bound(expr, last, var ? var : make<Var>(Str("x"), nullptr));
  }

  Expr root_;
  NormalForm form_;
  Scopes scopes_;
  std::vector<std::vector<Binding>> bindings_;
  std::unordered_map<const Node*, Expr> done_;
  std::vector<Frame> stack_;
  Expr result_;
};

}  // namespace

FunctionRef toNormalForm(const FunctionRef& function, NormalForm form) {
  return refAs<Function>(Filler(function, form).run());
}

}  // namespace rx::relay
