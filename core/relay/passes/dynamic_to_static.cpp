#include <array>

#include "core/relay/passes/fold.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

namespace {

/// The elements of a constant argument as an attribute.
NodeRef integersOf(const Expr& expr) {
  const Ref<HostTensor> data = constantData(expr);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < data->count(); ++i) values.push_back(data->intAt(i));
  return ir::intArrayAttr(values);
}
NodeRef realsOf(const Expr& expr) {
  const Ref<HostTensor> data = constantData(expr);
  std::vector<NodeRef> values;
  for (int64_t i = 0; i < data->count(); ++i) values.push_back(ir::floatAttr(data->at(i)));
  return ir::arrayAttr(std::move(values));
}
NodeRef integerOf(const Expr& expr) { return ir::intAttr(constantData(expr)->intAt(0)); }
NodeRef realOf(const Expr& expr) { return ir::floatAttr(constantData(expr)->at(0)); }
NodeRef pairsOf(const Expr& expr) {
  const Ref<HostTensor> data = constantData(expr);
  std::vector<NodeRef> rows;
  for (int64_t i = 0; i + 1 < data->count(); i += 2) {
    const int64_t pair[] = {data->intAt(i), data->intAt(i + 1)};
    rows.push_back(ir::intArrayAttr(pair));
  }
  return ir::arrayAttr(std::move(rows));
}

/// An argument of a dynamic operator that is an attribute of the static one.
struct Static {
  size_t arg;
  const char* attr;
  NodeRef (*value)(const Expr&);
};
struct Row {
  std::string_view op;
  const char* by;
  std::array<Static, 3> attrs;
  size_t count;
};
constexpr Row row(std::string_view op, const char* by, Static a) { return {op, by, {a}, 1}; }
constexpr Row row(std::string_view op, const char* by, Static a, Static b) { return {op, by, {a, b}, 2}; }
constexpr Row row(std::string_view op, const char* by, Static a, Static b, Static c) { return {op, by, {a, b, c}, 3}; }

constexpr std::array kRows = {
    row("dyn.reshape", "reshape", {1, "newshape", integersOf}),
    row("dyn.squeeze", "squeeze", {1, "axis", integersOf}),
    row("dyn.tile", "tile", {1, "reps", integersOf}),
    row("dyn.topk", "topk", {1, "k", integerOf}),
    row("dyn.broadcast_to", "broadcast_to", {1, "shape", integersOf}),
    row("dyn.zeros", "zeros", {0, "shape", integersOf}),
    row("dyn.ones", "ones", {0, "shape", integersOf}),
    row("dyn.full", "full", {1, "shape", integersOf}),
    row("dyn.one_hot", "one_hot", {3, "depth", integerOf}),
    row("dyn.image.resize2d", "image.resize2d", {1, "size", integersOf}, {2, "roi", realsOf}),
    row("dyn.nn.upsampling", "nn.upsampling", {1, "scale_h", realOf}, {2, "scale_w", realOf}),
    row("dyn.nn.upsampling3d", "nn.upsampling3d", {1, "scale_d", realOf}, {2, "scale_h", realOf},
        {3, "scale_w", realOf}),
    row("dyn.nn.pad", "nn.pad", {1, "pad_width", pairsOf}),
    row("dyn.strided_slice", "strided_slice", {1, "begin", integersOf}, {2, "end", integersOf},
        {3, "strides", integersOf}),
    row("dyn.sparse_to_dense", "sparse_to_dense", {3, "output_shape", integersOf}),
};

/// The static operator of a dynamic one whose shapes are constants; null where it has none.
Expr madeStatic(const Ref<Call>& call) {
  const std::string_view op = calledOperator(call)->name;
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.op == op; });
  if (found == kRows.end()) return nullptr;
  ir::Attrs attrs = call->attrs;
  std::vector<bool> gone(call->args.size());
  for (size_t i = 0; i < found->count; ++i) {
    const Static& each = found->attrs[i];
    const Ref<HostTensor> data = constantData(call->args[each.arg]);
    const bool one = each.value == integerOf || each.value == realOf;
    if (!data || (one && data->count() != 1)) return nullptr;
    attrs = ir::withAttr(attrs, Str(each.attr), each.value(call->args[each.arg]));
    gone[each.arg] = true;
  }
  std::vector<Expr> args;
  for (size_t i = 0; i < call->args.size(); ++i) {
    if (!gone[i]) args.push_back(call->args[i]);
  }
  return callOp(found->by, std::move(args), attrs);
}

}  // namespace

Result<ir::Module> dynamicToStatic(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  // Types may be known only when the operators are static: they are not inferred before.
  RX_TRY(rewritten, onFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
           const FunctionRef folded = ConstantFolder(module, context.cancel, {false, madeStatic}).run(function);
           if (folded == function) return function;
           auto* open = new Function(*folded);
           open->retType = nullptr;  // it is better known now
           return FunctionRef(open);
         }));
  return inferTypes(rewritten, context.cancel);
}

}  // namespace rx::relay
