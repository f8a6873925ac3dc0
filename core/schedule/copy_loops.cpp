#include "core/schedule/copy_loops.h"

#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/schedule/new_buffers.h"

namespace rx::schedule {

using namespace tir;

CopyLoops::CopyLoops(std::vector<CopyAxis> shape) : shape_(std::move(shape)) {
  for (const CopyAxis& axis : shape_) {
    axes.push_back(make<Var>(Str(fmt::format("v{}", axes.size())), axis.extent->dtype));
    place.push_back(axes.back());
  }
}

Stmt CopyLoops::nest(const Str& name) const {
  std::vector<Ref<IterVar>> iters;
  std::vector<VarRef> loops;
  std::vector<PrimExpr> values;
  for (size_t i = 0; i < shape_.size(); ++i) {
    const CopyAxis& axis = shape_[i];
    loops.push_back(make<Var>(Str(fmt::format("ax{}", i)), axis.extent->dtype));
    const PrimExpr zero = arith::constantInt(axis.size->dtype, 0);
    iters.push_back(make<IterVar>(make<Range>(zero, axis.size), axes[i], IterType::DataPar));
    values.push_back(arith::add(axis.begin, loops.back()));
  }
  PrimExpr value = make<BufferLoad>(from, Array<PrimExpr>(source), from->dtype);
  if (inside && !arith::isOne(inside)) {
    value = lower::intrinsic(value->dtype, "if_then_else", {inside, value, arith::constant(value->dtype, 0)});
  }
  auto* block = new Block();
  const Ref<Block> made(block);
  block->name = name;
  block->iterVars = Array<Ref<IterVar>>(std::move(iters));
  block->reads = {pointRegion(from, source)};
  block->writes = {pointRegion(to, target)};
  block->body = make<BufferStore>(to, value, Array<PrimExpr>(target));
  Stmt body = make<BlockRealize>(Array<PrimExpr>(std::move(values)), boolImm(true), made);
  for (size_t i = loops.size(); i-- > 0;) body = lower::loopOver(loops[i], shape_[i].extent, ForKind::Serial, body);
  return body;
}

}  // namespace rx::schedule
