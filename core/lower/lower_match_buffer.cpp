// LowerMatchBuffer: views that blocks match to regions give way to the buffers behind them; the variables that a view
// defines (its offset, strides and sizes) become values.
#include <fmt/format.h>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/access_regions.h"
#include "core/lower/buffer_layout.h"
#include "core/lower/scope.h"
#include "core/lower/substituter.h"

namespace rx::lower {

using namespace tir;

namespace {

class Unmatched : public Substituter {
 public:
  explicit Unmatched(const PrimFunc& function) {
    // Parameters are given: a view can not define them.
    for (const VarRef& param : function.params) {
      if (!param->dtype.isHandle()) values[param.get()] = param;
    }
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) analyzer_.bind(loop->loopVar, Range(loop->min, loop->extent));
    if (auto block = refAs<Block>(statement)) return ofBlock(block);
    const auto* store = as<BufferStore>(statement);
    const MatchBufferRegion* match = store ? matchOf(*store->buffer) : nullptr;
    if (!match) return parts(statement);
    auto* made = new BufferStore(*store);
    Stmt result(made);
    if (store->predicate)
      refuse("lower.match", "a store with a predicate can not go through a matched buffer", store->span);
    made->buffer = match->source->buffer;
    made->value = rewrite(store->value);
    made->indices = throughView(*match, store->indices, store->span);
    return result;
  }

  bool changesExpressions() const override { return true; }
  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      const MatchBufferRegion* match = matchOf(*load->buffer);
      if (!match) return nullptr;
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      if (load->predicate)
        refuse("lower.match", "a load with a predicate can not go through a matched buffer", load->span);
      made->buffer = match->source->buffer;
      made->indices = throughView(*match, load->indices, load->span);
      return result;
    }
    if (const auto* region = as<BufferRegion>(node)) {
      const MatchBufferRegion* match = matchOf(*region->buffer);
      return match ? NodeRef(sourceOf(*region, *match)) : nullptr;
    }
    return Substituter::enter(node);
  }

 private:
  const MatchBufferRegion* matchOf(const Buffer& buffer) const {
    const auto found = matches_.find(&buffer);
    return found == matches_.end() ? nullptr : found->second.get();
  }

  Stmt ofBlock(const Ref<Block>& block) {
    for (const auto& match : block->matchBuffers) bindView(*match, block->span);
    if (block->matchBuffers.empty()) return parts(block);
    auto* plain = new Block(*block);
    plain->matchBuffers = {};
    return parts(Stmt(plain));
  }

  /// The region that a region of a view is, with all variables replaced.
  Ref<BufferRegion> sourceOf(const BufferRegion& region, const MatchBufferRegion& match) {
    std::vector<Ref<Range>> ranges;
    for (const auto& range : region.region) ranges.push_back(make<Range>(rewrite(range->min), rewrite(range->extent)));
    return make<BufferRegion>(match.source->buffer, sourceRegion(match, Array<Ref<Range>>(std::move(ranges))));
  }

  Array<PrimExpr> throughView(const MatchBufferRegion& match, const Array<PrimExpr>& indices, Span span) {
    const auto& region = match.source->region;
    if (indices.size() != match.buffer->shape.size() || indices.size() > region.size()) {
      refuse("tir.index-count", "a buffer is indexed with as many indices as it has dimensions", span);
      return indices;
    }
    const size_t offset = region.size() - indices.size();
    std::vector<PrimExpr> made;
    for (size_t i = 0; i < region.size(); ++i) {
      made.push_back(i < offset ? region[i]->min : arith::add(region[i]->min, rewrite(indices[i - offset])));
    }
    return Array<PrimExpr>(std::move(made));
  }

  void bindView(const MatchBufferRegion& match, Span span) {
    const BufferRef& view = match.buffer;
    const MatchBufferRegion* outer = matchOf(*match.source->buffer);
    Ref<BufferRegion> source = outer ? sourceOf(*match.source, *outer) : rewritten(*match.source);
    const Buffer& behind = *source->buffer;
    auto mismatch = [&](std::string_view what, std::string_view a, std::string_view b) {
      refuse("lower.match", fmt::format("{} has the {} {}, what it is matched to {}", view->name.view(), what, a, b),
             span);
    };
    if (view->scope() != behind.scope()) mismatch("scope", view->scope(), behind.scope());
    if (view->dtype != behind.dtype) mismatch("type", view->dtype.str(), behind.dtype.str());
    if (source->region.size() < view->shape.size()) {
      refuse("lower.match", fmt::format("{} has more dimensions than its region", view->name.view()), span);
      return;
    }
    matches_[view.get()] = make<MatchBufferRegion>(view, source);
    values[view->data.get()] = behind.data;
    bindOffset(*view, *source, span);
    bindStrides(*view, *source, span);
    const size_t offset = source->region.size() - view->shape.size();
    for (size_t i = 0; i < view->shape.size(); ++i) {
      bind(view->shape[i], source->region[i + offset]->extent, fmt::format("{}.shape[{}]", view->name.view(), i), span);
    }
  }

  Ref<BufferRegion> rewritten(const BufferRegion& region) {
    std::vector<Ref<Range>> ranges;
    for (const auto& range : region.region) ranges.push_back(make<Range>(rewrite(range->min), rewrite(range->extent)));
    return make<BufferRegion>(region.buffer, Array<Ref<Range>>(std::move(ranges)));
  }

  void bindOffset(const Buffer& view, const BufferRegion& source, Span span) {
    std::vector<PrimExpr> begin;
    for (const auto& range : source.region) begin.push_back(range->min);
    const std::vector<PrimExpr> offsets = elementOffsets(*source.buffer, begin);
    const PrimExpr zero = arith::constantInt(offsets.back()->dtype, 0);
    const PrimExpr value = offsets.size() == 1 ? offsets[0] : zero;
    bind(view.elemOffset ? view.elemOffset : zero, value, fmt::format("{}.elem_offset", view.name.view()), span);
    if (!view.elemOffset || view.offsetFactor <= 1) return;
    const PrimExpr rest =
        arith::truncMod(rewrite(view.elemOffset), arith::constantInt(view.elemOffset->dtype, view.offsetFactor));
    if (!analyzer_.canProveEqual(rest, arith::constantInt(rest->dtype, 0))) {
      refuse("lower.match",
             fmt::format("the offset of {} is not known to be a multiple of {}", view.name.view(), view.offsetFactor),
             span);
    }
  }

  void bindStrides(const Buffer& view, const BufferRegion& source, Span span) {
    if (view.strides.empty()) return;
    const Buffer& behind = *source.buffer;
    const size_t offset = source.region.size() - view.shape.size();
    PrimExpr compact = arith::constantInt(behind.shape.empty() ? DataType::Int(32) : behind.shape.back()->dtype, 1);
    for (size_t i = view.strides.size(); i-- > 0;) {
      const PrimExpr stride = behind.strides.empty() ? compact : behind.strides[i + offset];
      bind(view.strides[i], stride, fmt::format("{}.strides[{}]", view.name.view(), i), span);
      compact = arith::mul(compact, behind.shape[i + offset]);
    }
  }

  /// What stands in the view is this value: a variable without one gets it, all else must be provably equal.
  void bind(const PrimExpr& formal, PrimExpr value, const std::string& what, Span span) {
    value = rewrite(value);
    if (formal->dtype != value->dtype) {
      if (!formal->dtype.isInt() || !value->dtype.isInt()) {
        refuse("lower.match", fmt::format("{} is {} where {} is needed", what, formal->dtype.str(), value->dtype.str()),
               span);
        return;
      }
      value = arith::cast(formal->dtype, value);
    }
    const auto* var = as<Var>(formal);
    const auto known = var ? values.find(var) : values.end();
    if (var && known == values.end()) {
      values[var] = value;
      analyzer_.bind(VarRef(var), value);
    } else if (!analyzer_.canProveEqual(known == values.end() ? rewrite(formal) : known->second, value)) {
      refuse("lower.match", fmt::format("{} is not known to be what its region has there", what), span);
    }
  }

  std::unordered_map<const Buffer*, Ref<MatchBufferRegion>> matches_;
  arith::Analyzer analyzer_;
};

}  // namespace

Result<PrimFuncRef> lowerMatchBuffer(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Unmatched(*func).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
