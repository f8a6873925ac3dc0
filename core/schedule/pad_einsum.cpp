// pad_einsum: the axes of a sum of products run up to multiples, over copies of its buffers with zeros in the new
// places.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/copy_loops.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "pad_einsum";

/// Whether each region is one element at axes and numbers, and no buffer occurs twice.
bool isEinsum(const Block& block) {
  std::vector<const Buffer*> seen;
  for (const auto* regions : {&block.reads, &block.writes}) {
    for (const auto& region : *regions) {
      if (std::find(seen.begin(), seen.end(), region->buffer.get()) != seen.end()) return false;
      seen.push_back(region->buffer.get());
      for (const auto& range : region->region) {
        if (!arith::isOne(range->extent) || !(isa<Var>(range->min) || isa<IntImm>(range->min))) return false;
      }
    }
  }
  return true;
}

/// A value without what it was converted from.
PrimExpr unconverted(PrimExpr value) {
  while (const auto* converted = as<Cast>(value)) value = PrimExpr(converted->value);
  return value;
}

/// Whether a step adds nothing where a longer axis reads zeros: a sum of products, one of whose factors is read along
/// each of the axes.
bool addsZeros(const Block& block, const std::vector<VarRef>& longer) {
  const PrimExpr step = summand(block);
  if (!step) return false;
  std::vector<PrimExpr> open{step}, loads;
  while (!open.empty()) {
    const PrimExpr factor = unconverted(open.back());
    open.pop_back();
    if (const auto* product = as<Mul>(factor)) open.insert(open.end(), {product->a, product->b});
    if (isa<BufferLoad>(factor)) loads.push_back(factor);
  }
  return std::all_of(longer.begin(), longer.end(), [&](const VarRef& axis) {
    return std::any_of(loads.begin(), loads.end(), [&](const PrimExpr& load) { return lower::uses(load, axis.get()); });
  });
}

/// The block and its loops with longer axes and other buffers.
class Padder : public lower::Rewriter {
 public:
  Padder(const arith::VarMap& extents, const std::vector<std::pair<BufferRef, BufferRef>>& buffers)
      : extents_(extents) {
    for (const auto& [from, to] : buffers) replace(from, to);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    const Stmt made = parts(statement);
    if (const auto* loop = as<For>(made)) {
      const auto extent = extents_.find(loop->loopVar.get());
      if (extent == extents_.end()) return made;
      return changed(*loop, [&](For& copy) { copy.extent = extent->second; });
    }
    const auto* block = as<Block>(made);
    if (!block) return made;
    std::vector<Ref<IterVar>> axes;
    for (const auto& axis : block->iterVars) {
      const auto extent = extents_.find(axis->var.get());
      const auto dom = extent == extents_.end() ? axis->dom : make<Range>(axis->dom->min, extent->second);
      axes.push_back(make<IterVar>(dom, axis->var, axis->iterType, axis->threadTag));
    }
    return changed(*block, [&](Block& copy) { copy.iterVars = Array<Ref<IterVar>>(std::move(axes)); });
  }

 private:
  const arith::VarMap& extents_;
};

/// A buffer with the lengths of the longer axes; null where the region has none of them.
BufferRef padded(const BufferRegion& region, const arith::VarMap& extents) {
  std::vector<PrimExpr> shape;
  bool longer = false;
  for (size_t i = 0; i < region.region.size(); ++i) {
    const PrimExpr& place = region.region[i]->min;
    const auto* var = as<Var>(place);
    const auto extent = var ? extents.find(var) : extents.end();
    longer = longer || extent != extents.end();
    shape.push_back(!var                      ? arith::constantInt(place->dtype, 1)
                    : extent == extents.end() ? region.buffer->shape[i]
                                              : extent->second);
  }
  if (!longer) return nullptr;
  const BufferRef copy = reshaped(*region.buffer, Array<PrimExpr>(std::move(shape)), "_pad");
  return changed(*copy, [](Buffer& other) { other.strides = {}; });
}

/// The loops that copy the buffer to the longer one, or back.
Stmt copying(Access access, const BufferRef& buffer, const BufferRef& longer, const Str& name, arith::Canon& canon) {
  const bool reads = access == Access::Read;
  std::vector<CopyAxis> axes;
  for (const PrimExpr& size : reads ? longer->shape : buffer->shape) {
    axes.push_back({size, arith::constantInt(size->dtype, 0), size});
  }
  CopyLoops copy(std::move(axes));
  copy.from = reads ? buffer : longer;
  copy.to = reads ? longer : buffer;
  copy.source = copy.target = copy.place;
  if (!reads) return copy.nest(name);
  copy.inside = boolImm(true);
  for (size_t i = 0; i < copy.place.size(); ++i) {
    if (canon.canProveEqual(buffer->shape[i], longer->shape[i])) continue;
    copy.inside = arith::logicalAnd(copy.inside, arith::lt(copy.place[i], buffer->shape[i]));
  }
  return copy.nest(name);
}

}  // namespace

Result<Unit> bare::padEinsum(Schedule& schedule, BlockRef block, std::span<const int64_t> padding) {
  RX_TRY(path, blockPath(schedule, kName, block));
  const std::string_view name = schedule.name(block);
  const auto realize = cast<BlockRealize>(path.back());
  const Block& old = *realize->block;
  if (path.size() < 2) return refuse(kName, name, "it is the block of the kernel itself");
  const Ref<Block> root = schedule.get(schedule.scopeOf(path));
  if (const std::string_view why = BlockScope(*root).whyNoPipeline(); !why.empty()) return refuse(kName, name, why);
  if (padding.size() != old.iterVars.size()) return refuse(kName, name, "it has not as many axes");
  if (std::any_of(padding.begin(), padding.end(), [](int64_t by) { return by <= 0; })) {
    return refuse(kName, name, "a multiple is not positive");
  }
  if (!isEinsum(old) || old.writes.empty()) return refuse(kName, name, "it does not access its buffers at its axes");
  const std::vector<Ref<For>> loops = loopsInScope(path);
  if (std::any_of(loops.begin(), loops.end(), [](const Ref<For>& loop) { return isa<SeqStmt>(loop->body); }))
    return refuse(kName, name, "its loops hold other blocks");
  arith::Canon canon;
  arith::VarMap extents;
  std::vector<VarRef> longerSums;
  for (size_t i = 0; i < padding.size(); ++i) {
    const IterVar& axis = *old.iterVars[i];
    const PrimExpr& extent = axis.dom->extent;
    const PrimExpr by = arith::constantInt(extent->dtype, padding[i]), one = arith::constantInt(extent->dtype, 1);
    const PrimExpr full = canon.simplify(arith::mul(arith::floorDiv(arith::sub(arith::add(extent, by), one), by), by));
    if (canon.canProveEqual(full, extent)) continue;
    extents[axis.var.get()] = full;
    if (axis.iterType != IterType::DataPar) {
      longerSums.push_back(axis.var);
    } else if (!varsOf(old.writes[0]->region).contains(axis.var.get())) {
      return refuse(kName, name, "a longer axis does not tell where it writes");
    }
    if (const auto* loop = as<Var>(realize->iterValues[i])) extents[loop] = full;
  }
  if (!longerSums.empty() && !addsZeros(old, longerSums)) return refuse(kName, name, "it adds no products up");
  const Stmt outermost = loops.empty() ? Stmt(realize) : Stmt(loops.front());
  std::vector<Stmt> before, behind;
  std::vector<std::pair<BufferRef, BufferRef>> buffers;
  std::vector<Str> names;  // of two buffers of one name the copies have two
  for (const Access access : {Access::Read, Access::Write}) {
    for (const auto& region : access == Access::Read ? old.reads : old.writes) {
      const BufferRef longer = padded(*region, extents);
      if (!longer) continue;
      buffers.emplace_back(region->buffer, longer);
      names.push_back(schedule.freshName(longer->name.string(), names));
      (access == Access::Read ? before : behind)
          .push_back(copying(access, region->buffer, longer, names.back(), canon));
    }
  }
  before.push_back(Padder(extents, buffers).rewrite(outermost));
  before.insert(before.end(), behind.begin(), behind.end());
  Ref<Block> made = cast<Block>(withReplaced(root, outermost, seq(before)));
  for (const auto& [from, to] : buffers) made = allocating(*made, to);
  schedule.replace(root, made);
  return Unit{};
}

}  // namespace rx::schedule
