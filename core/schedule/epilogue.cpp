#include "core/schedule/epilogue.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// How many axes of the stage the index is made of, each place of which it is for one of their places: one of them, or
/// two, the second in steps of the first. 0 where it is none of these, or of another extent.
size_t axesThatFill(const Stage& stage, const PrimExpr& index, const PrimExpr& extent) {
  if (const StageAxis* axis = axisOf(stage.axes, index)) return arith::sameExpr(axis->extent, extent) ? 1 : 0;
  const auto* sum = as<Add>(index);
  const auto* groups = sum ? as<Mul>(sum->a) : nullptr;
  const StageAxis *group = groups ? axisOf(stage.axes, groups->a) : nullptr,
                  *step = sum ? axisOf(stage.axes, sum->b) : nullptr;
  if (!group || !step || !group->steps() || !step->steps() || asInt(groups->b) != step->steps()) return 0;
  return asInt(extent) == *group->steps() * *step->steps() ? 2 : 0;
}

}  // namespace

Epilogue::Epilogue(const Stage& stage, const Stage* behind)
    : made_(stage.buffer), buffer_(stage.buffer), indices_(stage.indices) {
  taken_ = behind && take(stage, *behind);
}

/// The axes of the stage behind are found where it reads what the first has made: its index is an axis there, and what
/// the first stores at is that axis.
bool Epilogue::take(const Stage& stage, const Stage& behind) {
  if (behind.reduces() || behind.buffer == stage.buffer) return false;
  arith::VarMap places;
  bool same = true, any = false;
  walk(*behind.value, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || load->buffer != stage.buffer) return !isa<Buffer>(&node);
    any = true;
    for (size_t i = 0; i < load->indices.size(); ++i) {
      const auto* axis = as<Var>(load->indices[i]);
      if (!axis) {
        same = same && arith::sameExpr(load->indices[i], stage.indices[i]);
        continue;
      }
      const auto [known, added] = places.emplace(axis, stage.indices[i]);
      same = same && (added || arith::sameExpr(known->second, stage.indices[i]));
    }
    return true;
  });
  if (!same || !any) return false;
  // Each place of the first is one place of the second, and there are no others.
  size_t own = 0, found = 0;
  for (const StageAxis& axis : stage.axes) own += axis.reduces ? 0 : 1;
  for (const StageAxis& axis : behind.axes) {
    const auto at = places.find(axis.var.get());
    const size_t axes = at == places.end() ? 0 : axesThatFill(stage, at->second, axis.extent);
    if (axes == 0) return false;
    found += axes;
  }
  if (own != found) return false;
  buffer_ = behind.buffer;
  indices_ = indicesAt(behind.indices, places);
  value_ = arith::substitute(behind.value, places);
  return true;
}

Stmt Epilogue::store(const arith::VarMap& places, const PrimExpr& value) const {
  std::vector<PrimExpr> at = indicesAt(indices_, places);
  if (!value_) return storeTo(buffer_, std::move(at), value);
  const PrimExpr made = withLoads(value_, *made_, [&](const BufferLoad&) { return value; });
  return storeTo(buffer_, std::move(at), arith::substitute(made, places));
}

}  // namespace rx::schedule
