// transform_layout: the elements of a buffer lie elsewhere.
#include <algorithm>

#include "core/analysis/index_map_inverse.h"
#include "core/ir/all_nodes.h"
#include "core/lower/access_regions.h"
#include "core/lower/scoped_rewriter.h"
#include "core/schedule/access_simplifier.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/index_map.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Every access of the buffer at its new place.
class ElementMover : public lower::ScopedRewriter {
 public:
  ElementMover(const PrimFunc& function, const BufferRef& from, const BufferRef& to, const IndexMap& map)
      : ScopedRewriter(function), from_(from), to_(to), map_(map) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const Stmt made = ScopedRewriter::visit(statement);
    if (const auto* store = as<BufferStore>(made); store && store->buffer == from_) {
      return make<BufferStore>(to_, store->value, moved(store->indices), store->predicate);
    }
    const auto* block = as<Block>(made);
    if (!block) return made;
    const lower::AccessRegions regions = lower::accessRegions(*block, {{to_->data.get(), to_}});
    return changed(*block, [&](Block& copy) {
      copy.reads = replaced(block->reads, regions.reads);
      copy.writes = replaced(block->writes, regions.writes);
    });
  }
  BufferRef define(const BufferRef& buffer) override { return buffer == from_ ? to_ : ScopedRewriter::define(buffer); }
  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load || load->buffer != from_) return ScopedRewriter::leave(node);
    return make<BufferLoad>(to_, moved(load->indices), load->dtype, load->predicate);
  }

 private:
  Array<PrimExpr> moved(const Array<PrimExpr>& indices) {
    const std::vector<PrimExpr> places = mapIndices(map_, indices, canon_);
    return keepingVars(places, shortest(places));
  }
  /// A region of the old buffer becomes what the block accesses of the new one.
  Array<Ref<BufferRegion>> replaced(const Array<Ref<BufferRegion>>& regions, const Array<Ref<BufferRegion>>& found) {
    std::vector<Ref<BufferRegion>> made;
    for (const auto& region : regions) {
      const BufferRegion* other = region->buffer == from_ ? regionOf(found, *to_) : nullptr;
      made.push_back(other ? Ref<BufferRegion>(other) : region);
    }
    return Array<Ref<BufferRegion>>(std::move(made));
  }

  const BufferRef& from_;
  const BufferRef& to_;
  const IndexMap& map_;
  arith::Canon canon_;
};

}  // namespace

Result<Unit> bare::transformLayout(Schedule& schedule, BlockRef block, BufferOf which, const IndexMap& given) {
  const auto [access, bufferIndex] = which;
  constexpr std::string_view kName = "transform_layout";
  RX_TRY(path, blockPath(schedule, kName, block));
  const std::string_view name = schedule.name(block);
  const Block& found = *cast<BlockRealize>(path.back())->block;
  const auto& regions = access == Access::Read ? found.reads : found.writes;
  if (bufferIndex >= regions.size()) return refuse(kName, name, "it accesses no buffer of that number");
  const BufferRef buffer = regions[bufferIndex]->buffer;
  const Ref<Block> owner = allocatorIn(path, buffer);
  if (!owner) return refuse(kName, name, "the buffer is not the kernel's own");
  if (hasOpaqueAccess(owner, *buffer)) return refuse(kName, name, "the buffer is used as a whole");
  if (given.initialIndices.size() != buffer->shape.size()) return refuse(kName, name, "the map takes other indices");
  const Ref<IndexMap> ofType = overTypes(given, buffer->shape.span());
  const IndexMap& map = *ofType;
  arith::Analyzer analyzer;
  arith::Canon canon;
  const auto inverse = analysis::inverseOf(map, buffer->shape, analyzer);
  const auto shape = mapShape(map, buffer->shape, canon);
  if (!inverse || !shape) return refuse(kName, name, "the map does not give each element a place of its own");
  if (inverse->padded) return refuse(kName, name, "the map would leave places empty");
  const BufferRef other = reshaped(*buffer, Array<PrimExpr>(*shape), "");
  schedule.replace(owner, ElementMover(*schedule.function(), buffer, other, map).rewrite(Stmt(owner)));
  return Unit{};
}

}  // namespace rx::schedule
