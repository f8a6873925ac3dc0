#include "core/relay/passes/pass_functions.h"
#include "core/relay/passes/scale_axis.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// An expression that still has to be multiplied with a vector along some axes.
struct Scaled {
  Expr value, scale;  ///< scale: null where it is whole
  std::vector<size_t> axes;
};

/// Moves factors of arguments into the weights behind them.
class ForwardFold {
 public:
  explicit ForwardFold(const FunctionRef& root) : root_(root), order_(postOrder(root)) {
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) request(*it);
  }

  FunctionRef run() {
    const bool any = std::any_of(requests_.begin(), requests_.end(), [](const auto& each) { return each.second; });
    if (!any) return root_;
    for (const Expr& expr : order_) done_[expr.get()] = rewritten(expr);
    return refAs<Function>(done_.at(root_.get()).value);
  }

 private:
  /// What is asked of an expression by several users is what all of them ask.
  void update(const Expr& expr, const ScaleRequest& asked) {
    const auto [at, isNew] = requests_.emplace(expr.get(), asked);
    if (isNew || !at->second) return;
    if (!asked) {
      at->second = std::nullopt;
      return;
    }
    std::vector<size_t> common;
    std::set_intersection(at->second->axes.begin(), at->second->axes.end(), asked->axes.begin(), asked->axes.end(),
                          std::back_inserter(common));
    at->second = ScaledAxes{std::move(common), at->second->positive || asked->positive};
  }
  const ScaleRequest& asked(const Node* node) const {
    static const ScaleRequest kNone;
    const auto hit = requests_.find(node);
    return hit == requests_.end() ? kNone : hit->second;
  }

  void request(const Expr& expr) {
    if (isa<TupleGetItem>(expr)) return;
    std::vector<Expr> operands;
    const auto* call = as<Call>(expr);
    if (!call) {
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) update(operand, std::nullopt);
      return;
    }
    std::vector<ScaleRequest> in(call->args.size());
    const OpRow* row = calledOperator(expr);
    const ScaleRequest& out = asked(expr.get());
    const std::string_view op = row ? row->name : "";
    if (op == "nn.relu" || op == "nn.leaky_relu") {
      if (out) in[0] = ScaledAxes{out->axes, true};
    } else if (op == "add" || op == "subtract") {
      const TensorType *lhs = tensorOf(call->args[0]), *rhs = tensorOf(call->args[1]);
      if (out && spreadsOver(lhs, rhs, out->axes)) {
        in[0] = out;
      } else if (out && spreadsOver(rhs, lhs, out->axes)) {
        in[1] = out;
      }
    } else if (op == "nn.conv2d" || op == "nn.conv3d") {
      if (const auto conv = scaledConv(*call)) in[0] = ScaledAxes{conv->data, false};
    } else if (op == "nn.dense") {
      in[0] = ScaledAxes{{1}, false};
    }
    for (size_t i = 0; i < in.size(); ++i) update(call->args[i], in[i]);
  }

  Scaled rewritten(const Expr& expr) {
    const auto* call = as<Call>(expr);
    if (call && calledOperator(expr)) {
      std::vector<Scaled> args;
      for (const Expr& arg : call->args) args.push_back(done_.at(arg.get()));
      if (auto folded = fold(*call, calledOperator(expr)->name, args)) return *folded;
    }
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) operand = done_.at(operand.get()).value;
    return {operands.empty() ? expr : withOperands(expr, operands), nullptr, {}};
  }

  std::optional<Scaled> fold(const Call& call, std::string_view op, const std::vector<Scaled>& args) {
    if (op == "multiply") return product(call, args);
    const bool any = std::any_of(args.begin(), args.end(), [](const Scaled& arg) { return arg.scale != nullptr; });
    if (!any) return std::nullopt;
    if (op == "nn.relu" || op == "nn.leaky_relu") {
      return Scaled{callAgain(call, {args[0].value}, call.attrs), args[0].scale, args[0].axes};
    }
    if (op == "add" || op == "subtract") return sum(call, args);
    if (!args[0].scale || args[1].scale) return std::nullopt;
    if (op == "nn.dense") {
      const Expr weight = callOp("multiply", {args[1].value, args[0].scale});
      return Scaled{callAgain(call, {args[0].value, weight}, call.attrs), nullptr, {}};
    }
    const auto conv = op == "nn.conv2d" || op == "nn.conv3d" ? scaledConv(call) : std::nullopt;
    if (!conv) return std::nullopt;
    const Expr scale = alongAxes(args[0].scale, tensorOf(call.args[1])->shape, conv->inKernel);
    if (!scale) return std::nullopt;
    const Expr weight = callOp("multiply", {args[1].value, scale});
    return Scaled{callAgain(call, {args[0].value, weight}, call.attrs), nullptr, {}};
  }

  static std::optional<Scaled> sum(const Call& call, const std::vector<Scaled>& args) {
    const size_t scaled = args[0].scale ? 0 : 1;
    const Scaled& own = args[scaled];
    const Expr scale = alongAxes(own.scale, tensorOf(call.args[scaled])->shape, own.axes);
    if (!scale) return std::nullopt;
    const Expr other = callOp("divide", {args[1 - scaled].value, scale});
    return Scaled{
        callAgain(call, scaled == 0 ? std::vector{own.value, other} : std::vector{other, own.value}, call.attrs),
        own.scale, own.axes};
  }

  std::optional<Scaled> product(const Call& call, const std::vector<Scaled>& args) const {
    const ScaleRequest& out = asked(&call);
    if (!out) return std::nullopt;
    for (size_t factor : {1, 0}) {
      Expr scale = args[factor].value;
      const bool fits = spreadsOver(tensorOf(call.args[1 - factor]), tensorOf(call.args[factor]), out->axes, &scale);
      if (fits && (!out->positive || isNeverNegative(scale))) return Scaled{args[1 - factor].value, scale, out->axes};
    }
    return std::nullopt;
  }

  FunctionRef root_;
  std::vector<Expr> order_;
  std::unordered_map<const Node*, ScaleRequest> requests_;
  std::unordered_map<const Node*, Scaled> done_;
};

}  // namespace

Result<ir::Module> forwardFoldScaleAxis(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(
      module, context, [](const FunctionRef& function) -> Result<FunctionRef> { return ForwardFold(function).run(); });
}

}  // namespace rx::relay
