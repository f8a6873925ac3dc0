// Rules of SimplifyExpr for operators that take their shape from another tensor, and for reshape and transpose.
#include "core/relay/layout.h"
#include "core/relay/passes/simplify_rules.h"

namespace rx::relay {

namespace {

using MakeShaped = Expr (*)(const PatternMatch& match, const PatternRef& data, const PatternRef& like,
                            const std::vector<int64_t>& shape, DataType dtype);

PatternRule concretize(std::string_view op, bool hasData, MakeShaped make) {
  const PatternRef data = anyExpr(), like = anyExpr();
  const PatternRef pattern = callOf({op}, hasData ? std::vector{data, like} : std::vector{like});
  return ruleOf(pattern, [=](const Call& root, const PatternMatch& match) -> Expr {
    const auto shape = extentsOf(Ref<Call>(&root));
    return shape ? make(match, data, like, *shape, as<TensorType>(root.sinfo)->dtype) : nullptr;
  });
}

Expr initialized(const char* op, std::vector<Expr> args, const std::vector<int64_t>& shape, DataType dtype) {
  return callOp(op, std::move(args), {{"shape", ir::intArrayAttr(shape)}, {"dtype", dtypeAttr(dtype)}});
}

/// Where each axis of the result of a transpose or layout_transform comes from; nothing where it is no mere order.
std::optional<std::vector<int64_t>> axisOrder(const Call& call, size_t rank) {
  std::vector<int64_t> order;
  if (isCallOf(Ref<Call>(&call), "layout_transform")) {
    const std::string_view from = textAttrOf(call, "src_layout"), to = textAttrOf(call, "dst_layout");
    if (from.size() != rank || to.size() != rank) return std::nullopt;
    for (char axis : to) {
      const size_t at = from.find(axis);
      if (at == std::string_view::npos) return std::nullopt;
      order.push_back(static_cast<int64_t>(at));
    }
    return order;
  }
  const auto axes = intsAttrOf(call, "axes");
  for (size_t i = 0; i < rank; ++i) {
    if (axes && axes->size() != rank) return std::nullopt;
    order.push_back(axes ? static_cast<int64_t>(positiveAxis((*axes)[i], rank)) : static_cast<int64_t>(rank - 1 - i));
  }
  return order;
}

std::string permuted(std::string_view layout, const std::vector<int64_t>& order) {
  std::string out;
  for (int64_t axis : order) out += layout[static_cast<size_t>(axis)];
  return out;
}

bool changesRank(const Call& call) {
  return isCallOf(Ref<Call>(&call), "layout_transform") &&
         textAttrOf(call, "src_layout").size() != textAttrOf(call, "dst_layout").size();
}

Expr layoutTransform(const Expr& data, std::string_view from, std::string_view to) {
  if (from == to) return data;
  return callOp("layout_transform", {data},
                {{"src_layout", ir::strAttr(Str(from))}, {"dst_layout", ir::strAttr(Str(to))}});
}

/// One layout_transform for two operators of which one at least changes the rank; null where that can not be said.
Expr rankChanging(const Call& outer, const Call& inner, const Expr& data) {
  if (changesRank(outer) && changesRank(inner)) {
    const bool meets = textAttrOf(inner, "dst_layout") == textAttrOf(outer, "src_layout");
    return meets ? layoutTransform(data, textAttrOf(inner, "src_layout"), textAttrOf(outer, "dst_layout")) : nullptr;
  }
  const Call& change = changesRank(outer) ? outer : inner;
  const Call& other = changesRank(outer) ? inner : outer;
  const std::string_view from = textAttrOf(change, "src_layout"), to = textAttrOf(change, "dst_layout");
  const bool first = changesRank(outer);  // the other one runs before
  const auto order = axisOrder(other, first ? from.size() : to.size());
  if (!order) return nullptr;
  if (!first) return layoutTransform(data, from, permuted(to, *order));
  std::vector<int64_t> inverse(order->size());
  for (size_t i = 0; i < order->size(); ++i) inverse[static_cast<size_t>((*order)[i])] = static_cast<int64_t>(i);
  return layoutTransform(data, permuted(from, inverse), to);
}

Expr transposedTwice(const Call& outer, const Call& inner, const Expr& data) {
  if (changesRank(outer) || changesRank(inner)) return rankChanging(outer, inner, data);
  const auto* type = as<TensorType>(outer.sinfo);
  const auto first = type ? axisOrder(inner, type->shape.size()) : std::nullopt;
  const auto second = type ? axisOrder(outer, type->shape.size()) : std::nullopt;
  if (!first || !second) return nullptr;
  std::vector<int64_t> axes;
  for (int64_t axis : *second) axes.push_back((*first)[static_cast<size_t>(axis)]);
  return callOp("transpose", {data}, {{"axes", ir::intArrayAttr(axes)}});
}

}  // namespace

std::vector<PatternRule> concretizeRules() {
  return {concretize("zeros_like", false,
                     [](const auto&, const auto&, const auto&, const auto& shape, DataType dtype) {
                       return initialized("zeros", {}, shape, dtype);
                     }),
          concretize("ones_like", false,
                     [](const auto&, const auto&, const auto&, const auto& shape, DataType dtype) {
                       return initialized("ones", {}, shape, dtype);
                     }),
          concretize("full_like", true,
                     [](const auto& match, const auto&, const auto& value, const auto& shape, DataType dtype) {
                       return initialized("full", {match[value]}, shape, dtype);
                     }),
          concretize("reshape_like", true,
                     [](const auto& match, const auto& data, const auto&, const auto& shape, DataType) {
                       return reshape(match[data], shape);
                     }),
          concretize("collapse_sum_like", true,
                     [](const auto& match, const auto& data, const auto&, const auto& shape, DataType) {
                       return callOp("collapse_sum_to", {match[data], integers(shape, DataType::Int(32))},
                                     {{"shape", ir::intArrayAttr(shape)}});
                     }),
          concretize("broadcast_to_like", true,
                     [](const auto& match, const auto& data, const auto&, const auto& shape, DataType) {
                       return callOp("broadcast_to", {match[data]}, {{"shape", ir::intArrayAttr(shape)}});
                     }),
          ruleOf(callOf({"cast_like"}, {anyExpr(), anyExpr()}), [](const Call& root, const PatternMatch&) -> Expr {
            const auto* type = as<TensorType>(root.sinfo);
            return type ? cast(root.args[0], type->dtype) : nullptr;
          })};
}

std::vector<PatternRule> reshapeRules() {
  const std::vector<std::string_view> ops = {"reshape", "contrib_reverse_reshape"};
  const PatternRef data = anyExpr();
  return {ruleOf(callOf(ops, {callOf(ops, {data})}), [=](const Call& root, const PatternMatch& match) -> Expr {
    const auto shape = extentsOf(Ref<Call>(&root));
    return shape ? reshape(match[data], *shape) : nullptr;
  })};
}

std::vector<PatternRule> transposeRules() {
  const std::vector<std::string_view> ops = {"transpose", "layout_transform"};
  const PatternRef data = anyExpr(), inner = callOf(ops, {data}), only = anyExpr();
  return {ruleOf(callOf(ops, {inner}),
                 [=](const Call& root, const PatternMatch& match) {
                   const Expr first = match[inner];
                   return transposedTwice(root, *as<Call>(first), match[data]);
                 }),
          ruleOf(callOf(ops, {only}), [=](const Call& root, const PatternMatch& match) -> Expr {
            const auto* type = as<TensorType>(root.sinfo);
            const auto order = type && !changesRank(root) ? axisOrder(root, type->shape.size()) : std::nullopt;
            return order && std::is_sorted(order->begin(), order->end()) ? match[only] : nullptr;
          })};
}

}  // namespace rx::relay
