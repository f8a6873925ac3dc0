#include "core/schedule/group_axes.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/index_growth.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// How many steps of the axis an index takes as one; nothing where none does, or they do not agree.
std::optional<int64_t> stepsOfGroup(const Stage& stage, const StageAxis& axis) {
  std::optional<int64_t> found;
  bool one = true;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    const auto* quotient = as<FloorDiv>(&node);
    const auto size = quotient && quotient->a == PrimExpr(axis.var) ? asInt(quotient->b) : std::nullopt;
    one = one && (!size || !found || *size == *found);
    if (size) found = size;
    return one && !isa<Buffer>(&node);
  });
  return one ? found : std::nullopt;
}

Stage inGroups(const Stage& stage, size_t axis, int64_t size) {
  const StageAxis& whole = stage.axes[axis];
  const DataType index = whole.var->dtype;
  const auto number = [&](int64_t value) { return arith::constantInt(index, value); };
  const StageAxis group{make<Var>(Str(whole.var->name.string() + "_group"), index), number(*whole.steps() / size)};
  const StageAxis step{make<Var>(whole.var->name, index), number(size)};
  arith::Canon canon;
  canon.bind(group.var, number(0), group.extent);
  canon.bind(step.var, number(0), step.extent);
  const arith::VarMap places{{whole.var.get(), arith::add(arith::mul(group.var, number(size)), step.var)}};
  Stage made = stage;
  made.axes[axis] = group;
  made.axes.insert(made.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, step);
  for (PrimExpr& each : made.indices) each = canon.simplify(arith::substitute(each, places));
  made.value = withPlainIndices(arith::substitute(stage.value, places), canon);
  return made;
}

}  // namespace

Stage withGroupsApart(const Stage& stage, int64_t least) {
  if (!stage.reduces()) return stage;
  for (size_t i = 0; i < stage.axes.size(); ++i) {
    const auto steps = stage.axes[i].steps();
    const auto size = stage.axes[i].reduces || !steps ? std::nullopt : stepsOfGroup(stage, stage.axes[i]);
    if (size && *size >= least && *size < *steps && *steps % *size == 0) return inGroups(stage, i, *size);
  }
  return stage;
}

}  // namespace rx::schedule
