#include "core/schedule/packed_weight.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Of memory, as most processors fetch it.
constexpr int64_t kLineBytes = 64;

/// As many whole vectors as a line holds, where a panel is made of strips of so many.
int64_t stripOf(int64_t width, int64_t perVector, DataType type) {
  const int64_t ofLine = std::max(perVector, kLineBytes / type.bytes());
  return width % ofLine == 0 && ofLine % perVector == 0 ? ofLine : std::min(width, perVector);
}

}  // namespace

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

PackedWeight::PackedWeight(const Contraction& roles, int64_t width, int64_t perVector)
    : roles_(roles),
      width_(width),
      strip_(stripOf(width, perVector, onlyLoad(roles.across)->dtype)),
      lanes_(*stepsOf(roles.lanes)) {
  std::vector<PrimExpr> shape;
  for (const StageAxis& axis : roles.outer) {
    if (!lower::uses(roles.across, axis.var.get())) continue;
    outer_.push_back(axis);
    shape.push_back(axis.extent);
  }
  shape.push_back(number((lanes_ + width_ - 1) / width_));
  shape.push_back(number((width_ + strip_ - 1) / strip_));
  for (const StageAxis& axis : roles.sums) shape.push_back(axis.extent);
  shape.push_back(number(strip_));
  const Buffer& weight = *onlyLoad(roles.across)->buffer;
  buffer_ = lower::newBuffer(Str(weight.name.string() + "_packed"), weight.dtype, Array<PrimExpr>(std::move(shape)));
}

PrimExpr PackedWeight::number(int64_t value) const {
  return arith::constantInt(roles_.lanes.front().var->dtype, value);
}

std::vector<PrimExpr> PackedWeight::at(const arith::VarMap& outer, const PrimExpr& panel, const arith::VarMap& sums,
                                       const PrimExpr& vector, const PrimExpr& lane) const {
  arith::Canon canon;
  std::vector<PrimExpr> indices;
  for (const StageAxis& axis : outer_) indices.push_back(outer.at(axis.var.get()));
  indices.push_back(panel);
  indices.push_back(canon.simplify(arith::floorDiv(vector, number(strip_))));
  for (const StageAxis& axis : roles_.sums) indices.push_back(sums.at(axis.var.get()));
  indices.push_back(arith::add(canon.simplify(arith::floorMod(vector, number(strip_))), lane));
  return indices;
}

PrimExpr PackedWeight::stored(const arith::VarMap& outer, const PrimExpr& first, const arith::VarMap& sums,
                              const PrimExpr& vector, const PrimExpr& lane) const {
  arith::Canon canon;
  const PrimExpr panel = canon.simplify(arith::floorDiv(first, number(width_)));
  return elementOf(buffer_, at(outer, panel, sums, vector, lane));
}

PrimExpr PackedWeight::element(const arith::VarMap& outer, const PrimExpr& first, const arith::VarMap& sums,
                               const PrimExpr& vector, const PrimExpr& lane) const {
  const PrimExpr element = stored(outer, first, sums, vector, lane);
  return withLoads(roles_.across, *onlyLoad(roles_.across)->buffer, [&](const BufferLoad&) { return element; });
}

Stmt PackedWeight::copy() const {
  const int64_t whole = lanes_ / width_, rest = lanes_ % width_;
  std::vector<Stmt> nests;
  // A nest of its own for all that is alike: kernels of such nests are run without a program.
  const auto strips = [&](int64_t panel, int64_t panels, int64_t lanes) {
    const int64_t full = lanes / strip_, left = lanes % strip_;
    if (full > 0) nests.push_back(nest({panel, panels}, {0, full}, strip_));
    if (left > 0) nests.push_back(nest({panel, panels}, {full, 1}, left));
  };
  if (whole > 0) strips(0, whole, width_);
  if (rest > 0) strips(whole, 1, rest);
  return asWeightCopy(inBlock(buffer_->name, seq(nests)));
}

Stmt PackedWeight::nest(const Some& panels, const Some& strips, int64_t lanes) const {
  const DataType index = buffer_->shape[0]->dtype;
  const auto each = [&](std::string_view name, const Some& some, const StepMaker& made) {
    return steps(index, name, some.count, ForKind::Serial,
                 [&](const PrimExpr& step) { return made(arith::add(step, number(some.first))); });
  };
  return overAxes(outer_, [&](const arith::VarMap& outer) {
    return each("panel", panels, [&](const PrimExpr& panel) {
      return overAxes(roles_.sums, [&](const arith::VarMap& sums) {
        return each("strip", strips, [&](const PrimExpr& strip) {
          return each("lane", {0, lanes}, [&](const PrimExpr& lane) {
            const PrimExpr first = arith::mul(strip, number(strip_));
            arith::VarMap places = outer;
            places.insert(sums.begin(), sums.end());
            bindLanes(roles_.lanes, arith::add(arith::mul(panel, number(width_)), arith::add(first, lane)), places);
            return storeTo(buffer_, at(outer, panel, sums, first, lane),
                           arith::substitute(PrimExpr(onlyLoad(roles_.across)), places));
          });
        });
      });
    });
  });
}

}  // namespace rx::schedule
