#include "core/schedule/lane_moves.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/reads_along.h"

namespace rx::schedule {

using namespace tir;

bool movesInOrder(const Stage& stage, const PrimExpr& value, const Var& axis) {
  bool asks = false;
  walk(*value, Into::Parts, [&](const Node& node) {
    asks = asks || lower::asCallOf(NodeRef(&node), "if_then_else");
    return !asks && !isa<Buffer>(&node);
  });
  return !asks && isUnitStride(stage.indices, axis) && readsAlong(value, axis).inOrder;
}

}  // namespace rx::schedule
