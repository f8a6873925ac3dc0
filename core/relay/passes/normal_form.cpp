#include "core/relay/passes/normal_form.h"

#include <list>
#include <unordered_map>

#include "core/relay/device.h"
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
        enter(top.operands[i], top.isPlaced ? top.var : let && i == 0 ? let->var : nullptr);
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
    Device device = {};     ///< where what stands inside lies
    bool isPlaced = false;  ///< it says where its operand lies, and is nothing by itself
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
    if (!stack_.empty()) frame.device = stack_.back().device;
    if (const auto placed = onDeviceOf(expr); placed && placed->constrainsBody && placed->constrainsResult) {
      frame.device = placed->device;
      frame.isPlaced = true;
      frame.operands = {placed->body};
      stack_.push_back(std::move(frame));
      return;
    }
    const auto* function = as<Function>(expr);
    const bool isPrimitive = function && ir::intAttrOf(function->attrs, "Primitive", 0) != 0;
    if (function && !isPrimitive) frame.device = deviceOf(function->virtualDevice);
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
    const bool closes = block && !isa<Let>(user.expr);  // of a `let` they go on in the block around it
    user.results.push_back(closes ? closed(scopes_.block(user.expr, *block), value) : value);
  }

  /// The block of a node that its i-th operand is the value of.
  static std::optional<size_t> blockOf(const Expr& expr, size_t i) {
    if (isa<Function>(expr)) return 0;
    const bool binds = isa<Let>(expr), chooses = isa<If>(expr) || isa<Match>(expr);
    if (i == 0 || (!binds && !chooses)) return std::nullopt;
    return i - 1;
  }

  Expr closed(size_t scope, Expr value) {
    std::list<Binding>& list = bindings_[scope];
    for (auto it = list.rbegin(); it != list.rend(); ++it) value = make<Let>(it->var, it->value, value);
    list.clear();
    return value;
  }

  Expr finished(const Frame& frame) {
    const Expr& expr = frame.expr;
    if (frame.isPlaced) return placed(frame.results[0], frame.device);
    if (isa<Var>(expr) || isa<Op>(expr) || isa<relax::GlobalVar>(expr) || isa<Constructor>(expr)) {
      return frame.var ? bound(expr, expr, frame.var) : expr;
    }
    if (isa<Let>(expr)) return compound(frame, frame.results[1]);
    const Expr rebuilt = frame.operands.empty() ? expr : withOperands(expr, frame.results);
    return expr == root_ ? rebuilt : compound(frame, rebuilt);
  }

  Expr bound(const Expr& expr, const Expr& value, const VarRef& var) {
    bindings_[scopes_.of(expr)].push_back({var, value});
    return var;
  }

  /// The value, marked with where it lies.
  Expr placed(const Expr& value, const Device& device) {
    return device.isOpen() ? value : fixedOn(value, device, devices_);
  }

  Expr compound(const Frame& frame, const Expr& value) {
    const Expr& expr = frame.expr;
    const bool isLet = isa<Let>(expr);
    if (!frame.var && form_ == NormalForm::BasicBlock && !scopes_.isLifted(expr))
      return placed(isLet ? closed(scopes_.block(expr, 0), value) : value, deviceAround());
    std::list<Binding>& list = bindings_[scopes_.of(expr)];
    if (isLet) list.splice(list.end(), bindings_[scopes_.block(expr, 0)]);
    Expr last = value;
    while (const auto* let = as<Let>(last)) {  // bindings inside a value come before it
      list.push_back({let->var, let->value});
      last = let->body;
    }
    return bound(expr, placed(last, deviceAround()), frame.var ? frame.var : make<Var>(Str("x"), nullptr));
  }
  /// Where the value that was just finished lies: its frame is gone.
  Device deviceAround() const { return stack_.empty() ? Device() : stack_.back().device; }

  Expr root_;
  NormalForm form_;
  Scopes scopes_;
  std::vector<std::list<Binding>> bindings_;
  std::unordered_map<const Node*, Expr> done_;
  std::vector<Frame> stack_;
  DeviceConfig devices_;
  Expr result_;
};

}  // namespace

FunctionRef toNormalForm(const FunctionRef& function, NormalForm form) {
  return refAs<Function>(Filler(function, form).run());
}

}  // namespace rx::relay
