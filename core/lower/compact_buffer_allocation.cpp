// CompactBufferAllocation: allocated buffers shrink to what is accessed of them; strides follow the alignment that
// schedules ask for.
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/allocation_regions.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/storage_align.h"
#include "core/pass/options.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Strides from the innermost dimension outwards, each rounded up to `offset` more than a multiple of `factor`.
Array<PrimExpr> alignedStrides(const std::vector<DimAlign>& aligns, std::span<const PrimExpr> shape) {
  std::vector<PrimExpr> strides(shape.size());
  PrimExpr stride = arith::constantInt(shape.empty() ? DataType::Int(32) : shape[0]->dtype, 1);
  for (size_t i = shape.size(); i-- > 0;) {
    for (const DimAlign& align : aligns) {
      if (align.dim != static_cast<int64_t>(i) || align.factor == 0) continue;
      const PrimExpr factor = arith::constantInt(stride->dtype, align.factor);
      const PrimExpr goal = arith::constantInt(stride->dtype, align.factor + align.offset);
      stride = arith::add(stride, arith::floorMod(arith::sub(goal, arith::floorMod(stride, factor)), factor));
    }
    strides[i] = stride;
    stride = arith::mul(stride, shape[i]);
  }
  return Array<PrimExpr>(std::move(strides));
}

class Compactor : public CheckedRewriter {
 public:
  Compactor(const PrimFunc& function, bool inbound)
      : regions_(allocationRegions(function, inbound)), aligns_(storageAligns(function.body)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* store = as<BufferStore>(statement)) {
      const Region* region = regionOf(*store->buffer);
      if (!region || store->indices.size() != region->size()) return parts(statement);
      auto* made = new BufferStore(*store);
      Stmt result(made);
      made->value = rewrite(store->value);
      made->predicate = rewrite(store->predicate);
      made->indices = moved(*region, store->indices);
      made->buffer = compact(store->buffer);
      return result;
    }
    if (const auto* alloc = as<AllocBuffer>(statement); alloc && regionOf(*alloc->buffer)) {
      return make<AllocBuffer>(compact(alloc->buffer), alloc->annotations);
    }
    if (auto block = refAs<Block>(statement)) return ofBlock(block);
    return parts(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      const Region* region = regionOf(*load->buffer);
      if (!region || load->indices.size() != region->size()) return nullptr;
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      made->predicate = rewrite(load->predicate);
      made->indices = moved(*region, load->indices);
      made->buffer = compact(load->buffer);
      return result;
    }
    if (const auto* old = as<BufferRegion>(node)) {
      const Region* region = regionOf(*old->buffer);
      if (!region || old->region.size() != region->size()) return nullptr;
      std::vector<Ref<Range>> ranges;
      for (size_t i = 0; i < region->size(); ++i) {
        ranges.push_back(
            make<Range>(arith::sub(rewrite(old->region[i]->min), (*region)[i]->min), rewrite(old->region[i]->extent)));
      }
      return make<BufferRegion>(compact(old->buffer), Array<Ref<Range>>(std::move(ranges)));
    }
    return nullptr;
  }

 private:
  Stmt ofBlock(const Ref<Block>& block) {
    auto* copy = new Block(*block);
    const Stmt made(copy);
    std::vector<BufferRef> allocated;
    bool changed = false;
    for (const BufferRef& buffer : block->allocBuffers) {
      allocated.push_back(regionOf(*buffer) ? compact(buffer) : buffer);
      changed |= allocated.back() != buffer;
    }
    if (changed) copy->allocBuffers = Array<BufferRef>(std::move(allocated));
    return parts(changed ? made : Stmt(block));
  }

  const Region* regionOf(const Buffer& buffer) const {
    const auto found = regions_.find(buffer.data.get());
    return found == regions_.end() ? nullptr : &found->second;
  }

  Array<PrimExpr> moved(const Region& region, const Array<PrimExpr>& indices) {
    std::vector<PrimExpr> made;
    for (size_t i = 0; i < region.size(); ++i) made.push_back(arith::sub(rewrite(indices[i]), region[i]->min));
    return Array<PrimExpr>(std::move(made));
  }

  /// The small form of an allocated buffer; one object for each.
  BufferRef compact(const BufferRef& buffer) {
    BufferRef& known = compact_[buffer->data.get()];
    if (known) return known;
    std::vector<PrimExpr> shape;
    for (const auto& range : regions_.at(buffer->data.get())) shape.push_back(range->extent);
    auto* copy = new Buffer(*buffer);
    known = BufferRef(copy);
    const auto align = aligns_.find(buffer->data.get());
    copy->strides = align == aligns_.end() ? Array<PrimExpr>() : alignedStrides(align->second, shape);
    copy->shape = Array<PrimExpr>(std::move(shape));
    return known;
  }

  const std::unordered_map<const Var*, Region> regions_;
  const StorageAligns aligns_;
  std::unordered_map<const Var*, BufferRef> compact_;
};

}  // namespace

Result<PrimFuncRef> compactBufferAllocation(const PrimFuncRef& func, Scope& scope) {
  RX_TRY(body, Compactor(*func, pass::flagOf(scope.options, "is_strict")).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
