#include "core/schedule/packed_weight.h"

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

Stmt asWeightCopy(const Stmt& made) {
  auto* realize = new BlockRealize(*cast<BlockRealize>(made));
  const Stmt marked(realize);
  auto* block = new Block(*realize->block);
  realize->block = Ref<Block>(block);
  block->annotations = ir::withAttr(block->annotations, Str(kWeightCopy), ir::intAttr(1));
  return marked;
}

void bindLanes(std::span<const StageAxis> lanes, const PrimExpr& place, arith::VarMap& places) {
  PrimExpr left = place;
  for (size_t i = lanes.size(); i-- > 0;) {
    const StageAxis& axis = lanes[i];
    places[axis.var.get()] = i == 0 ? left : arith::floorMod(left, axis.extent);
    if (i > 0) left = arith::floorDiv(left, axis.extent);
  }
}

PackedWeight::PackedWeight(const Contraction& roles, int64_t width)
    : roles_(roles), width_(width), lanes_(*stepsOf(roles.lanes)) {
  std::vector<PrimExpr> shape;
  for (const StageAxis& axis : roles.outer) {
    if (!lower::uses(roles.across, axis.var.get())) continue;
    outer_.push_back(axis);
    shape.push_back(axis.extent);
  }
  shape.push_back(number((lanes_ + width_ - 1) / width_));
  for (const StageAxis& axis : roles.sums) shape.push_back(axis.extent);
  shape.push_back(number(width_));
  const Buffer& weight = *onlyLoad(roles.across)->buffer;
  buffer_ = lower::newBuffer(Str(weight.name.string() + "_packed"), weight.dtype, Array<PrimExpr>(std::move(shape)));
}

PrimExpr PackedWeight::number(int64_t value) const {
  return arith::constantInt(roles_.lanes.front().var->dtype, value);
}

std::vector<PrimExpr> PackedWeight::at(const arith::VarMap& outer, const PrimExpr& panel, const arith::VarMap& sums,
                                       const PrimExpr& lane) const {
  std::vector<PrimExpr> indices;
  for (const StageAxis& axis : outer_) indices.push_back(outer.at(axis.var.get()));
  indices.push_back(panel);
  for (const StageAxis& axis : roles_.sums) indices.push_back(sums.at(axis.var.get()));
  indices.push_back(lane);
  return indices;
}

PrimExpr PackedWeight::stored(const arith::VarMap& outer, const PrimExpr& first, const arith::VarMap& sums,
                              const PrimExpr& lane) const {
  arith::Canon canon;
  const PrimExpr panel = canon.simplify(arith::floorDiv(first, number(width_)));
  return elementOf(buffer_, at(outer, panel, sums, lane));
}

PrimExpr PackedWeight::element(const arith::VarMap& outer, const PrimExpr& first, const arith::VarMap& sums,
                               const PrimExpr& lane) const {
  const PrimExpr element = stored(outer, first, sums, lane);
  return withLoads(roles_.across, *onlyLoad(roles_.across)->buffer, [&](const BufferLoad&) { return element; });
}

Stmt PackedWeight::copy() const {
  return asWeightCopy(
      inBlock(buffer_->name, overAxes(outer_, [&](const arith::VarMap& outer) { return panels(outer); })));
}

Stmt PackedWeight::panels(const arith::VarMap& outer) const {
  const auto onePanel = [&](const PrimExpr& panel, int64_t count) {
    return overAxes(roles_.sums, [&](const arith::VarMap& sums) {
      return steps(buffer_->shape[0]->dtype, "lane", count, ForKind::Serial, [&](const PrimExpr& lane) {
        arith::VarMap places = outer;
        places.insert(sums.begin(), sums.end());
        bindLanes(roles_.lanes, arith::add(arith::mul(panel, number(width_)), lane), places);
        return storeTo(buffer_, at(outer, panel, sums, lane),
                       arith::substitute(PrimExpr(onlyLoad(roles_.across)), places));
      });
    });
  };
  const int64_t whole = lanes_ / width_, rest = lanes_ % width_;
  std::vector<Stmt> parts;
  if (whole > 0) {
    parts.push_back(steps(buffer_->shape[0]->dtype, "panel", whole, ForKind::Serial,
                          [&](const PrimExpr& panel) { return onePanel(panel, width_); }));
  }
  if (rest > 0) parts.push_back(onePanel(number(whole), rest));
  return seq(parts);
}

}  // namespace rx::schedule
