#include "core/schedule/reads_along.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/stage.h"

namespace rx::schedule {

using namespace tir;

ReadsAlong readsAlong(const PrimExpr& expr, const Var& axis, const std::function<bool(const BufferLoad&)>& others) {
  ReadsAlong found;
  walk(*expr, Into::Parts, [&](const Node& node) {
    found.counted = found.counted || &node == &axis;
    const auto* load = as<BufferLoad>(&node);
    if (!load) return !isa<Buffer>(&node);
    if (others && others(*load)) return false;
    const bool neighbours = isUnitStride(load->indices.span(), axis);
    found.any = found.any || neighbours;
    const auto apart = load->predicate ? std::nullopt : lastGrowthOf(load->indices.span(), axis);
    found.apart = found.apart && apart && *apart >= 0 ? std::optional(std::max(*found.apart, *apart)) : std::nullopt;
    found.inOrder = found.inOrder && !load->predicate && (neighbours || !goAlong(load->indices.span(), axis));
    return false;
  });
  return found;
}

}  // namespace rx::schedule
