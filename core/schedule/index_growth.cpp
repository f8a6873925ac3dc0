#include "core/schedule/index_growth.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/stage.h"

namespace rx::schedule {

using namespace tir;

std::optional<int64_t> growthOf(const PrimExpr& index, const Var& axis) {
  const arith::VarMap next{{&axis, arith::add(PrimExpr(&axis), arith::constantInt(axis.dtype, 1))}};
  return asInt(arith::Canon().simplify(arith::sub(arith::substitute(index, next), index)));
}

std::optional<int64_t> lastGrowthOf(std::span<const PrimExpr> indices, const Var& axis) {
  if (!goAlong(indices, axis)) return 0;
  if (goAlong(indices.first(indices.size() - 1), axis)) return std::nullopt;
  return growthOf(indices.back(), axis);
}

PrimExpr withPlainIndices(const PrimExpr& expr, arith::Canon& known) {
  const auto plain = [&](const NodeRef& node) -> NodeRef {
    const auto* load = as<BufferLoad>(node);
    if (!load || load->predicate) return node;
    std::vector<PrimExpr> indices;
    for (const PrimExpr& index : load->indices) indices.push_back(known.simplify(index));
    return make<BufferLoad>(load->buffer, Array<PrimExpr>(std::move(indices)), load->dtype);
  };
  return refAs<ExprNode>(rewriteNodes(expr, Into::Parts, nullptr, plain));
}

}  // namespace rx::schedule
