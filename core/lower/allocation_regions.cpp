#include "core/lower/allocation_regions.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/access_regions.h"
#include "core/lower/bounded_walk.h"
#include "core/lower/intrinsics.h"
#include "core/lower/thread_scope.h"
#include "core/lower/walk_nested.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;
using arith::IntSet;

namespace {

/// All buffers over each pointer.
std::unordered_map<const Var*, std::vector<BufferRef>> viewsByPointer(const Stmt& body) {
  std::unordered_map<const Var*, std::vector<BufferRef>> views;
  std::unordered_set<const Buffer*> seen;
  auto add = [&](const BufferRef& buffer) {
    if (seen.insert(buffer.get()).second) views[buffer->data.get()].push_back(buffer);
  };
  walkNested(
      *body,
      [&](const Node& node) {
        if (const auto* store = as<BufferStore>(&node)) add(store->buffer);
        if (const auto* load = as<BufferLoad>(&node)) add(load->buffer);
        if (const auto* view = as<DeclBuffer>(&node)) add(view->buffer);
        if (const auto* alloc = as<AllocBuffer>(&node)) add(alloc->buffer);
        if (const auto* match = as<MatchBufferRegion>(&node)) {
          add(match->buffer);
          add(match->source->buffer);
        }
        if (const auto* block = as<Block>(&node)) {
          for (const BufferRef& buffer : block->allocBuffers) add(buffer);
        }
        return true;
      },
      [](const Node&) {});
  return views;
}

bool allocates(const StmtNode& body) {
  bool found = false;
  walk(body, Into::Parts, [&](const Node& node) {
    const auto* block = as<Block>(&node);
    found = found || isa<AllocBuffer>(&node) || (block && !block->allocBuffers.empty());
    return !found && !isa<ExprNode>(&node);
  });
  return found;
}

class Collector final : public BoundedWalk {
 public:
  Collector(const PrimFunc& function, bool inbound) : inbound_(inbound), views_(viewsByPointer(function.body)) {}

  std::unordered_map<const Var*, Region> run(const Stmt& body) {
    if (!allocates(*body)) return {};
    visit(body);
    finish(0);
    return std::move(result_);
  }

 private:
  struct Around {
    const Var* var;
    Str thread;  ///< empty for a plain loop
  };

  bool treats(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) {
      expression(loop->min);
      expression(loop->extent);
      const bool thread = loop->forKind == ForKind::ThreadBinding && loop->threadBinding;
      running(loop->loopVar, Range(loop->min, loop->extent), thread ? loop->threadBinding->threadTag : Str(),
              loop->body);
    } else if (const auto* attr = as<AttrStmt>(statement)) {
      expression(attr->value);
      if (const auto* iter = as<IterVar>(attr->node)) {
        const Range own(arith::constantInt(attr->value->dtype, 0), attr->value);
        running(iter->var, iter->dom ? *iter->dom : own, iter->threadTag, attr->body);
      } else {
        visit(attr->body);
      }
    } else if (const auto* realize = as<BlockRealize>(statement)) {
      under(realize->predicate, [&] { block(*realize->block); });
    } else if (const auto* alloc = as<AllocBuffer>(statement)) {
      depth_[alloc->buffer->data.get()] = around_.size();
      pending_.push_back(alloc->buffer);
    } else if (const auto* store = as<BufferStore>(statement)) {
      access(store->buffer, store->indices);
      expression(store->value);
      for (const PrimExpr& index : store->indices) expression(index);
    } else if (const auto* bind = as<Bind>(statement)) {
      expression(bind->value);
      if (arith::isIndexType(bind->value->dtype)) {
        analyzer_.bind(bind->var, bind->value);
        scope().domains[bind->var.get()] = IntSet::point(bind->value);
      }
    } else {
      return false;
    }
    return true;
  }

  void running(const VarRef& var, const Range& range, const Str& thread, const Stmt& body) {
    around_.push_back({var.get(), thread});
    analyzer_.bind(var, range);
    scope().domains[var.get()] = IntSet::fromRange(range);
    const size_t before = pending_.size();
    visit(body);
    finish(before);
    scope().domains.erase(var.get());
    around_.pop_back();
  }

  void block(const Block& block) {
    std::unordered_map<const Buffer*, std::vector<Ref<BufferRegion>>> outer;
    for (const auto* list : {&block.reads, &block.writes}) {
      for (const auto& region : *list) outer[region->buffer.get()].push_back(region);
    }
    for (auto& [buffer, regions] : outer) regions.swap(annotated_[buffer]);
    takeExplicit(block, "explicit_read_region", block.reads);
    takeExplicit(block, "explicit_write_region", block.writes);
    for (const BufferRef& buffer : block.allocBuffers) depth_[buffer->data.get()] = around_.size();
    for (const auto& match : block.matchBuffers) access(match->source->buffer, match->source->region);
    visit(block.body);
    for (auto& [buffer, regions] : outer) {
      if (regions.empty()) {
        annotated_.erase(buffer);
      } else {
        regions.swap(annotated_[buffer]);
      }
    }
    explicit_.clear();
    for (const BufferRef& buffer : block.allocBuffers) narrow(buffer);
  }

  /// Regions that the block's annotation names by their index count in the place of what loads say.
  void takeExplicit(const Block& block, std::string_view key, const Array<Ref<BufferRegion>>& regions) {
    const NodeRef value = ir::attrOf(block.annotations, key);
    const auto* list = as<ir::ArrayAttr>(value);
    for (size_t i = 0; list && i < list->items.size(); ++i) {
      const auto* index = as<ir::IntAttr>(list->items[i]);
      if (!index || index->value < 0 || index->value >= static_cast<int64_t>(regions.size())) continue;
      const auto& region = regions[static_cast<size_t>(index->value)];
      explicit_[region->buffer.get()] = region;
    }
  }

  bool treats(const Node& node) override {
    if (const auto* load = as<BufferLoad>(&node)) {
      const auto told = explicit_.find(load->buffer.get());
      if (told != explicit_.end()) {
        access(told->second->buffer, told->second->region);
      } else {
        access(load->buffer, load->indices);
      }
      for (const PrimExpr& index : load->indices) expression(index);
      return true;
    }
    if (const auto* let = as<Let>(&node)) {
      expression(let->value);
      const bool counts = arith::isIndexType(let->value->dtype);
      if (counts) {
        analyzer_.bind(let->var, let->value);
        scope().domains[let->var.get()] = IntSet::point(let->value);
      }
      withStack([&] { expression(let->body); });
      if (counts) scope().domains.erase(let->var.get());
      return true;
    }
    if (const auto* var = as<Var>(&node)) pointer(var);
    return false;
  }

  /// A pointer by itself: all that the block says of its buffers, or all of them.
  void pointer(const Var* var) {
    if (!depth_.contains(var)) return;
    const auto found = views_.find(var);
    if (found == views_.end()) return;
    for (const BufferRef& buffer : found->second) {
      const auto told = annotated_.find(buffer.get());
      if (told == annotated_.end() || told->second.empty()) {
        access(buffer, wholeRegion(*buffer));
        continue;
      }
      for (const auto& region : told->second) access(buffer, region->region);
    }
  }

  void access(const BufferRef& buffer, const Array<PrimExpr>& indices) {
    if (!depth_.contains(buffer->data.get())) return;
    std::vector<Ref<Range>> region;
    for (const PrimExpr& index : indices) {
      if (const auto* ramp = as<Ramp>(index); ramp && asInt(ramp->lanes)) {
        const PrimExpr lanes = arith::constantInt(ramp->base->dtype, *asInt(ramp->lanes));
        region.push_back(make<Range>(ramp->base, arith::mul(ramp->stride, lanes)));
      } else {
        region.push_back(make<Range>(index, arith::constantInt(index->dtype, 1)));
      }
    }
    access(buffer, Array<Ref<Range>>(std::move(region)));
  }

  void access(const BufferRef& buffer, const Array<Ref<Range>>& region) {
    const auto depth = depth_.find(buffer->data.get());
    if (depth == depth_.end()) return;
    // Loops around the allocation stand still, unless their threads share it.
    std::vector<std::pair<const Var*, IntSet>> still;
    for (size_t i = 0; i < depth->second; ++i) {
      const Around& iter = around_[i];
      if (!iter.thread.empty() && sharedByThreads(buffer->scope(), iter.thread.view())) continue;
      const auto domain = scope().domains.find(iter.var);
      if (domain == scope().domains.end()) continue;
      still.emplace_back(iter.var, domain->second);
      scope().domains.erase(domain);
    }
    PrimExpr predicate = boolImm(true);
    for (const PrimExpr& condition : scope().pending) predicate = arith::logicalAnd(predicate, condition);
    predicate = analyzer_.simplify(predicate);
    std::vector<IntSet> sets = arith::regionBound(region, scope().domains, predicate, analyzer_);
    // What a loop of one step runs over is its beginning: sets that differ by it are one.
    for (IntSet& set : sets) {
      if (set.min) set.min = analyzer_.simplify(set.min);
      if (set.max) set.max = analyzer_.simplify(set.max);
    }
    for (auto& [var, domain] : still) scope().domains[var] = domain;
    auto [entry, fresh] = accessed_.try_emplace(buffer.get(), sets);
    for (size_t i = 0; !fresh && i < sets.size() && i < entry->second.size(); ++i) {
      entry->second[i] = arith::unite(entry->second[i], sets[i]);
    }
  }

  void finish(size_t before) {
    for (size_t i = before; i < pending_.size(); ++i) narrow(pending_[i]);
    pending_.resize(before);
  }

  /// Whether lhs <= shape, where symbols of the shape are at least one.
  bool fits(const PrimExpr& extent, const PrimExpr& size) {
    if (analyzer_.canProve(arith::le(extent, size))) return true;
    if (isa<IntImm>(size)) return false;
    int64_t scale = 1;
    for (const PrimExpr& factor : arith::factorsOf(size)) scale *= asInt(factor).value_or(1);
    return analyzer_.canProve(arith::le(extent, arith::constantInt(size->dtype, std::abs(scale))));
  }

  /// What is known of the accesses becomes the buffer's region.
  void narrow(const BufferRef& buffer) {
    const auto found = accessed_.find(buffer.get());
    const auto views = views_.find(buffer->data.get());
    if (found == accessed_.end() || views == views_.end() || views->second.size() != 1) return;
    if (found->second.size() != buffer->shape.size()) return;
    Region& region = result_[buffer->data.get()];
    region.clear();
    for (size_t i = 0; i < buffer->shape.size(); ++i) region.push_back(narrowed(found->second[i], buffer->shape[i]));
  }

  Ref<Range> narrowed(const IntSet& set, const PrimExpr& size) {
    const PrimExpr zero = arith::constantInt(size->dtype, 0);
    const auto whole = make<Range>(zero, size);
    const Ref<Range> range = arith::cover(set, whole);
    PrimExpr min = range->min, extent = range->extent;
    if (inbound_) {
      min = arith::max(zero, min);
      if (!fits(extent, size)) extent = arith::min(size, extent);
    }
    min = analyzer_.simplify(min);
    extent = analyzer_.simplify(extent);
    if (effectOf(extent) != op::TirEffect::Pure) return whole;
    for (const VarRef& var : arith::freeVars(extent)) {
      if (std::none_of(around_.begin(), around_.end(), [&](const Around& iter) { return iter.var == var.get(); }))
        continue;
      const int64_t most = analyzer_.constIntBound(extent).max;
      if (most == arith::ConstIntBound::kPosInf) return whole;
      extent = arith::constantInt(extent->dtype, most);
      break;
    }
    return make<Range>(min, extent);
  }

  const bool inbound_;
  std::unordered_map<const Var*, std::vector<BufferRef>> views_;
  std::vector<Around> around_;
  std::unordered_map<const Var*, size_t> depth_;  ///< loops around the allocation
  arith::Analyzer analyzer_;
  std::vector<BufferRef> pending_;  ///< allocated by statements, until their scope ends
  std::unordered_map<const Buffer*, std::vector<IntSet>> accessed_;
  std::unordered_map<const Buffer*, std::vector<Ref<BufferRegion>>> annotated_;
  std::unordered_map<const Buffer*, Ref<BufferRegion>> explicit_;
  std::unordered_map<const Var*, Region> result_;
};

}  // namespace

std::unordered_map<const Var*, Region> allocationRegions(const PrimFunc& function, bool inbound) {
  return Collector(function, inbound).run(function.body);
}

}  // namespace rx::lower
