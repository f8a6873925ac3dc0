// reindex: a block accesses a copy of a buffer whose dimensions are its own axes.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/rewriter.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/copy_loops.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "reindex";

/// The only indices with which the body accesses the buffer; nothing where it does with others, or not at all.
std::optional<Array<PrimExpr>> onlyIndices(const Stmt& body, const Buffer& buffer) {
  std::optional<Array<PrimExpr>> found;
  bool one = true;
  auto meet = [&](const Array<PrimExpr>& indices) {
    one = one && (!found || arith::sameExprs(*found, indices));
    found = indices;
  };
  walk(*body, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    const auto* store = as<BufferStore>(&node);
    if (load && load->buffer.get() == &buffer) meet(load->indices);
    if (store && store->buffer.get() == &buffer) meet(store->indices);
    return !isa<Buffer>(&node);
  });
  return one ? found : std::nullopt;
}

/// Every access of one buffer becomes an access of another at one place.
class AccessReplacer : public lower::Rewriter {
 public:
  AccessReplacer(BufferRef from, BufferRef to, Array<PrimExpr> place)
      : from_(std::move(from)), to_(std::move(to)), place_(std::move(place)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const Stmt made = parts(statement);
    const auto* store = as<BufferStore>(made);
    if (!store || store->buffer != from_) return made;
    return make<BufferStore>(to_, store->value, place_, store->predicate);
  }
  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (load && load->buffer == from_) return make<BufferLoad>(to_, place_, load->dtype, load->predicate);
    const auto* region = as<BufferRegion>(node);
    return region && region->buffer == from_ ? NodeRef(pointRegion(to_, place_)) : nullptr;
  }

 private:
  const BufferRef from_, to_;
  const Array<PrimExpr> place_;
};

/// The loops that copy between the buffer, at these indices, and the other, whose dimensions are the axes.
Stmt copying(Access access, const BufferRef& buffer, const Array<PrimExpr>& indices, const BufferRef& other,
             std::span<const Ref<IterVar>> axes, const Str& name) {
  std::vector<CopyAxis> shape;
  for (const auto& axis : axes) {
    shape.push_back({axis->dom->extent, arith::constantInt(axis->dom->extent->dtype, 0), axis->dom->extent});
  }
  CopyLoops copy(std::move(shape));
  arith::VarMap map;
  for (size_t i = 0; i < axes.size(); ++i) map[axes[i]->var.get()] = copy.place[i];
  std::vector<PrimExpr> there;
  for (const PrimExpr& index : indices) there.push_back(arith::substitute(index, map));
  const bool reads = access == Access::Read;
  copy.from = reads ? buffer : other;
  copy.to = reads ? other : buffer;
  copy.source = reads ? there : copy.place;
  copy.target = reads ? copy.place : there;
  return copy.nest(name);
}

/// The indices simplified with the ranges of the axes; a variable that can only be one number stays.
Array<PrimExpr> simplified(const Array<PrimExpr>& indices, const Block& block) {
  arith::Canon canon;
  for (const auto& axis : block.iterVars) canon.bind(axis->var, axis->dom->min, axis->dom->extent);
  std::vector<PrimExpr> made;
  for (const PrimExpr& index : indices) {
    const PrimExpr simple = canon.simplify(index);
    made.push_back(isa<IntImm>(simple) && isa<Var>(index) ? index : simple);
  }
  return Array<PrimExpr>(std::move(made));
}

/// Whether the axes reach beyond the buffer, which the block then accesses under a condition of its own.
bool reachesBeyond(const Array<PrimExpr>& indices, const Block& block, const Buffer& buffer) {
  arith::Domains domains;
  for (const auto& axis : block.iterVars) domains[axis->var.get()] = arith::IntSet::fromRange(*axis->dom);
  arith::Analyzer analyzer;
  for (size_t i = 0; i < indices.size(); ++i) {
    const arith::IntSet set = arith::evalSet(indices[i], domains);
    const PrimExpr zero = arith::constantInt(indices[i]->dtype, 0);
    if (set.max && analyzer.canProve(arith::ge(set.max, buffer.shape[i]))) return true;
    if (set.min && analyzer.canProve(arith::lt(set.min, zero))) return true;
  }
  return false;
}

}  // namespace

Result<BlockRef> bare::reindex(Schedule& schedule, BlockRef block, BufferOf which) {
  const auto [access, bufferIndex] = which;
  RX_TRY(path, blockPath(schedule, kName, block));
  const std::string_view name = schedule.name(block);
  const auto realize = cast<BlockRealize>(path.back());
  const Block& old = *realize->block;
  const auto& regions = access == Access::Read ? old.reads : old.writes;
  if (path.size() < 2) return refuse(kName, name, "it is the block of the kernel itself");
  if (bufferIndex >= regions.size()) return refuse(kName, name, "it accesses no buffer of that number");
  const Ref<Block> root = schedule.get(schedule.scopeOf(path));
  if (const std::string_view why = BlockScope(*root).whyNoPipeline(); !why.empty()) return refuse(kName, name, why);
  if (!blocksBelow(old.body).empty()) return refuse(kName, name, "it holds other blocks");
  const BufferRef buffer = regions[bufferIndex]->buffer;
  if (regionOf(old.reads, *buffer) && regionOf(old.writes, *buffer)) {
    return refuse(kName, name, "it reads the buffer that it writes");
  }
  const auto found = onlyIndices(old.body, *buffer);
  if (!found || hasOpaqueAccess(old.body, *buffer)) {
    return refuse(kName, name, "it does not access the buffer at one place");
  }
  const std::vector<Ref<For>> loops = loopsInScope(path);
  const Stmt outermost = loops.empty() ? Stmt(realize) : Stmt(loops.front());
  if (blocksBelow(outermost).size() != 1) return refuse(kName, name, "other blocks share its loops");

  const Array<PrimExpr> indices = simplified(*found, old);
  if (reachesBeyond(indices, old, *buffer)) return refuse(kName, name, "its axes reach beyond the buffer");
  std::vector<Ref<IterVar>> axes;
  std::vector<PrimExpr> shape, place;
  for (const auto& axis : old.iterVars) {
    const bool used = std::any_of(indices.begin(), indices.end(), [&](const PrimExpr& index) {
      const std::vector<VarRef> vars = arith::freeVars(index);
      return std::find(vars.begin(), vars.end(), axis->var) != vars.end();
    });
    if (!used) continue;
    axes.push_back(axis);
    shape.push_back(arith::add(axis->dom->min, axis->dom->extent));
    place.push_back(axis->var);
  }
  const BufferRef other = changed(*reshaped(*buffer, Array<PrimExpr>(std::move(shape)), "_reindex"),
                                  [](Buffer& copy) { copy.strides = {}; });
  const Str copyName = schedule.freshName(fmt::format("{}_reindex", buffer->name.view()));
  const Stmt copy = copying(access, buffer, indices, other, axes, copyName);
  const Stmt own = AccessReplacer(buffer, other, Array<PrimExpr>(std::move(place))).rewrite(outermost);
  const std::array<Stmt, 2> order = access == Access::Read ? std::array{copy, own} : std::array{own, copy};
  const auto made = cast<Block>(withReplaced(root, outermost, seq(order)));
  schedule.replace(root, allocating(*made, other));
  return schedule.block(copyName.view());
}

}  // namespace rx::schedule
