#include "core/relay/passes/pass_functions.h"
#include "core/relay/passes/scale_axis.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Moves factors of results into the weights before them. What is scaled has one user, so that it is the only one to
/// ask.
class BackwardFold {
 public:
  explicit BackwardFold(const FunctionRef& root) : root_(root), order_(postOrder(root)) {
    std::unordered_map<const Node*, size_t> uses;
    std::vector<Expr> operands;
    for (const Expr& expr : order_) {
      operands.clear();
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) ++uses[operand.get()];
    }
    for (const Expr& expr : order_) {
      if (isa<Call>(expr) && uses[expr.get()] == 1) offer(*as<Call>(expr));
    }
  }

  FunctionRef run() {
    if (offers_.empty()) return root_;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      if (isa<Call>(*it) && calledOperator(*it)) pass(*as<Call>(*it), calledOperator(*it)->name);
    }
    for (const Expr& expr : order_) done_[expr.get()] = rewritten(expr);
    return refAs<Function>(done_.at(root_.get()));
  }

 private:
  struct Order {
    ScaledAxes axes;
    Expr scale;
  };
  const ScaledAxes* offered(const Expr& expr) const {
    const auto hit = offers_.find(expr.get());
    return hit == offers_.end() ? nullptr : &hit->second;
  }

  /// Says along which axes a call could be scaled, by what its arguments could.
  void offer(const Call& call) {
    const OpRow* row = calledOperator(Ref<Call>(&call));
    const std::string_view op = row ? row->name : "";
    if (op == "nn.conv2d" || op == "nn.conv3d") {
      if (const auto conv = scaledConv(call)) offers_[&call] = {conv->result, false};
      return;
    }
    if (op == "nn.dense") {
      offers_[&call] = {{1}, false};
      return;
    }
    const ScaledAxes* lhs = call.args.empty() ? nullptr : offered(call.args[0]);
    if (op == "nn.relu" || op == "nn.leaky_relu") {
      if (lhs) offers_[&call] = {lhs->axes, true};
    } else if (op == "nn.bias_add") {
      if (lhs && lhs->axes.size() == 1 && intAttrOf(call, "axis") == static_cast<int64_t>(lhs->axes[0])) {
        offers_[&call] = *lhs;
      }
    } else if (op == "add" || op == "subtract") {
      const ScaledAxes* rhs = offered(call.args[1]);
      const TensorType *left = tensorOf(call.args[0]), *right = tensorOf(call.args[1]);
      if (lhs && spreadsOver(left, right, lhs->axes)) {
        offers_[&call] = *lhs;
      } else if (rhs && spreadsOver(right, left, rhs->axes)) {
        offers_[&call] = *rhs;
      } else if (lhs && rhs && lhs->axes == rhs->axes && left && right && left->shape.size() == right->shape.size() &&
                 std::equal(left->shape.begin(), left->shape.end(), right->shape.begin(), same)) {
        offers_[&call] = *lhs;
      }
    }
  }

  /// Hands the scale that a call got to its arguments; a product hands its own factor on, and is gone.
  void pass(const Call& call, std::string_view op) {
    if (op == "multiply") return passFactor(call);
    const auto got = orders_.find(&call);
    if (got == orders_.end()) return;
    const Order order = got->second;
    if (op == "nn.relu" || op == "nn.leaky_relu" || op == "nn.bias_add") {
      orders_[call.args[0].get()] = order;
    } else if (op == "add" || op == "subtract") {
      for (const Expr& arg : call.args) {
        if (offered(arg)) orders_[arg.get()] = order;
      }
    }
  }

  void passFactor(const Call& call) {
    const size_t scaled = offered(call.args[0]) ? 0 : 1;
    const Expr& data = call.args[scaled];
    const ScaledAxes* axes = offered(data);
    if (!axes) return;
    Expr factor = call.args[1 - scaled];
    const bool fits = spreadsOver(tensorOf(data), tensorOf(factor), axes->axes, &factor);
    if (!fits || (axes->positive && !isNeverNegative(factor))) return;
    orders_[data.get()] = {*axes, factor};
    gone_[&call] = data;
  }

  Expr rewritten(const Expr& expr) {
    if (const auto gone = gone_.find(expr.get()); gone != gone_.end()) return done_.at(gone->second.get());
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) operand = done_.at(operand.get());
    const auto order = orders_.find(expr.get());
    if (order != orders_.end()) scaleArgs(*as<Call>(expr), order->second, operands);
    return operands.empty() ? expr : withOperands(expr, operands);
  }

  void scaleArgs(const Call& call, const Order& order, std::vector<Expr>& args) const {
    const std::string_view op = calledOperator(Ref<Call>(&call))->name;
    auto multiply = [&](size_t i, const Expr& scale) {
      if (scale) args[i] = callOp("multiply", {args[i], scale});
    };
    if (op == "nn.bias_add") {
      multiply(1, order.scale);
    } else if (op == "nn.dense") {
      multiply(1, expandBias(order.scale, 2, 0));
    } else if (op == "nn.conv2d" || op == "nn.conv3d") {
      multiply(1, alongAxes(order.scale, tensorOf(call.args[1])->shape, scaledConv(call)->outKernel));
    } else if (op == "add" || op == "subtract") {
      const bool left = offered(call.args[0]), right = offered(call.args[1]);
      if (left && right) return;
      const size_t scaled = left ? 0 : 1;
      multiply(1 - scaled, alongAxes(order.scale, tensorOf(call.args[scaled])->shape, order.axes.axes));
    }
  }

  FunctionRef root_;
  std::vector<Expr> order_;
  std::unordered_map<const Node*, ScaledAxes> offers_;
  std::unordered_map<const Node*, Order> orders_;
  std::unordered_map<const Node*, Expr> gone_;  ///< products, and what stands for them
  std::unordered_map<const Node*, Expr> done_;
};

}  // namespace

Result<ir::Module> backwardFoldScaleAxis(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(
      module, context, [](const FunctionRef& function) -> Result<FunctionRef> { return BackwardFold(function).run(); });
}

}  // namespace rx::relay
