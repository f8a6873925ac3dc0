#include <array>

#include "core/analysis/fusion_groups.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/pass/config.h"
#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Operators of the run time: they move values and compute nothing.
constexpr std::array<std::string_view, 7> kNotComputing = {
    "call_lowered",         "vm.shape_of",         "vm.invoke_tvm_op", "vm.reshape_tensor",
    "memory.alloc_storage", "memory.alloc_tensor", "memory.kill"};
/// Operators that keep the elements in their order.
constexpr std::array<std::string_view, 6> kReshaping = {
    "reshape", "expand_dims", "squeeze", "contrib_reverse_reshape", "dyn.reshape", "dyn.squeeze"};
/// Operators whose result has a shape that depends on values, beside those of "dyn.".
constexpr std::array<std::string_view, 9> kShapedByValues = {"arange",
                                                             "argwhere",
                                                             "stft",
                                                             "unique",
                                                             "broadcast_to",
                                                             "sparse_fill_empty_rows",
                                                             "sparse_reshape",
                                                             "vision.non_max_suppression",
                                                             "vision.all_class_non_max_suppression"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isDynamic(const Type& type) {
  bool found = false;
  walk(*type, Into::All, [&](const Node& node) {
    const auto* tensor = as<TensorType>(&node);
    for (size_t i = 0; tensor && i < tensor->shape.size(); ++i) found = found || !tensor->shape[i];
    return true;
  });
  return found;
}

bool isPrimitive(const Expr& expr) {
  const auto* function = as<Function>(expr);
  return function && ir::intAttrOf(function->attrs, "Primitive", 0) != 0;
}

/// The expressions of a function as nodes of a graph to fuse, operands first.
class Graph {
 public:
  explicit Graph(const FunctionRef& root) {
    std::vector<Expr> operands;
    for (const Expr& expr : postOrder(root)) {
      if (isa<Op>(expr) || isa<Function>(expr)) continue;
      index_[expr.get()] = static_cast<uint32_t>(nodes.size());
      nodes.push_back({expr.get(), patternOf(expr), false, {}});
    }
    for (const Expr& expr : postOrder(root)) addUses(expr);
  }
  bool has(const Expr& expr) const { return index_.contains(expr.get()); }

  std::vector<analysis::ForwardNode> nodes;

 private:
  static OpPattern patternOf(const Expr& expr) {
    if (const auto* constant = as<Constant>(expr)) {
      const bool isNumber = constant->data && constant->data->rank() == 0;
      const DataType dtype = isNumber ? constant->data->dtype() : DataType::Void();
      const bool isPlain = dtype.isBool() || ((dtype.isInt() || dtype.isFloat()) && dtype.bits >= 32);
      return isPlain ? OpPattern::ElementWise : OpPattern::Opaque;
    }
    if (isa<Tuple>(expr)) return OpPattern::Tuple;
    if (const auto* item = as<TupleGetItem>(expr)) {
      return holdsTensors(item->tuple) ? OpPattern::Injective : OpPattern::Opaque;
    }
    const OpRow* row = calledOperator(expr);
    if (!row) return OpPattern::Opaque;
    const bool byValues = row->name.starts_with("dyn.") || contains(kShapedByValues, row->name);
    return byValues && isDynamic(typeOf(expr)) ? OpPattern::Opaque : row->pattern;
  }
  static bool holdsTensors(const Expr& tuple) {
    const auto* type = as<TupleType>(tuple->sinfo);
    return type &&
           std::all_of(type->items.begin(), type->items.end(), [](const Type& item) { return isa<TensorType>(item); });
  }
  /// A use by a node that fuses, or (null) by one that does not.
  void use(const Expr& used, const Node* user, OpPattern pattern = OpPattern::Opaque) {
    const auto at = index_.find(used.get());
    if (at == index_.end()) return;
    analysis::ForwardNode& node = nodes[at->second];
    if (user) {
      node.uses.push_back({index_.at(user), pattern});
    } else {
      node.outside = true;
    }
  }
  void addUses(const Expr& expr) {
    if (const auto* call = as<Call>(expr)) {
      const OpPattern pattern = nodes[index_.at(call)].pattern;
      const auto* result = as<TensorType>(call->sinfo);
      if (!isa<Op>(call->op)) use(call->op, call);
      for (const Expr& arg : call->args) {
        const TensorType* type = tensorOf(arg);
        const bool same = pattern == OpPattern::Broadcast && type && result && sameShape(*type, *result);
        use(arg, call, same ? OpPattern::ElementWise : pattern);
      }
    } else if (const auto* tuple = as<Tuple>(expr)) {
      for (const Expr& item : tuple->items) use(item, tensorOf(item) ? tuple : nullptr, OpPattern::Injective);
    } else if (const auto* item = as<TupleGetItem>(expr)) {
      use(item->tuple, holdsTensors(item->tuple) ? item : nullptr, OpPattern::Injective);
    } else {
      std::vector<Expr> operands;
      appendOperands(*expr, operands);
      for (const Expr& operand : operands) use(operand, nullptr);
    }
  }
  static bool sameShape(const TensorType& a, const TensorType& b) {
    return a.shape.size() == b.shape.size() &&
           std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(),
                      [](const Dim& x, const Dim& y) { return x == y || (x && y && structuralEqual(x, y)); });
  }

  std::unordered_map<const Node*, uint32_t> index_;
};

/// Makes a function of each group, called where its last node was.
class Fuser {
 public:
  Fuser(const Graph& graph, analysis::FusionGroups groups, bool linksConstants)
      : graph_(graph), groups_(std::move(groups)), linksConstants_(linksConstants), made_(groups_.size()) {}

  FunctionRef run(const FunctionRef& root) {
    for (const Expr& expr : postOrder(root)) done_[expr.get()] = rewritten(expr);
    return refAs<Function>(done_.at(root.get()));
  }

 private:
  struct Made {
    std::vector<VarRef> params;
    std::vector<Expr> args;
  };

  Expr rewritten(const Expr& expr) {
    if (isPrimitive(expr)) return expr;
    const OpRow* row = calledOperator(expr);
    if (row && row->name == "annotation.stop_fusion") return done_.at(as<Call>(expr)->args[0].get());
    const bool fuses = row ? !contains(kNotComputing, row->name) && row->name != "on_device"
                           : isa<Tuple>(expr) || isa<TupleGetItem>(expr);
    if (!fuses) return plain(expr);
    const uint32_t group = groups_.root(*groups_.find(expr.get()));
    const bool isLast = graph_.nodes[group].node == expr.get();
    if (isa<Tuple>(expr) && isLast) return plain(expr);
    const auto* item = as<TupleGetItem>(expr);
    if (item && isLast && *groups_.find(item->tuple.get()) != group) return plain(expr);
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) {
      if (!isa<Op>(operand)) operand = inGroup(operand, group);
    }
    const Expr body = withOperands(expr, operands);
    return isLast ? called(group, typeOf(expr), body) : body;
  }

  Expr plain(const Expr& expr) {
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) operand = done_.at(operand.get());
    return operands.empty() ? expr : withOperands(expr, operands);
  }

  /// The operand where it belongs to the group, else a parameter that stands for it.
  Expr inGroup(const Expr& operand, uint32_t group) {
    const Expr now = done_.at(operand.get());
    const auto own = groups_.find(operand.get());
    if ((own && *own == group) || (linksConstants_ && isa<Constant>(now))) return now;
    Made& made = made_[group];
    for (size_t i = 0; i < made.args.size(); ++i) {
      if (made.args[i] == now) return made.params[i];
    }
    made.params.push_back(make<Var>(Str("p" + std::to_string(made.params.size())), typeOf(operand)));
    made.args.push_back(now);
    return made.params.back();
  }

  Expr called(uint32_t group, const Type& type, const Expr& body) {
    Made& made = made_[group];
    bool calls = false, reshapes = true;
    for (const Expr& expr : postOrder(body)) {
      calls = calls || isa<Call>(expr);
      const OpRow* row = calledOperator(expr);
      if (isa<Call>(expr)) reshapes = reshapes && row && contains(kReshaping, row->name);
      if (const auto* var = as<Var>(expr)) reshapes = reshapes && isa<TensorType>(var->typeAnnotation);
    }
    ir::Attrs attrs = ir::withAttr(nullptr, "Primitive", ir::intAttr(calls ? 1 : 0));
    if (calls && reshapes) attrs = ir::withAttr(attrs, "relay.reshape_only", ir::intAttr(1));
    const Expr function =
        make<Function>(Array<VarRef>(std::move(made.params)), body, type, Array<Ref<TypeVar>>(), std::move(attrs));
    return make<Call>(function, Array<Expr>(std::move(made.args)));
  }

  const Graph& graph_;
  analysis::FusionGroups groups_;
  bool linksConstants_;
  std::vector<Made> made_;
  std::unordered_map<const Node*, Expr> done_;
};

}  // namespace

Result<ir::Module> fuseOps(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const int64_t asked = ir::intAttrOf(given, "fuse_opt_level", -1);
  const int64_t level = asked < 0 ? context.optLevel : asked;
  const int64_t depth = pass::configNumber(context, "relay.FuseOps.max_depth");
  const bool links = pass::configFlag(context, "relay.FuseOps.link_params");
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    const Graph graph(function);
    return Fuser(graph, analysis::fuseGroups(graph.nodes, level, depth, context.cancel), links).run(function);
  });
}

}  // namespace rx::relay
