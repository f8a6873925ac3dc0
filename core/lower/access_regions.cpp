#include "core/lower/access_regions.h"

#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/bounded_walk.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

using namespace tir;
using arith::IntSet;

namespace {

using Sets = std::vector<IntSet>;

/// All places of a dimension of this size.
Ref<Range> wholeDim(const PrimExpr& size) { return make<Range>(arith::constantInt(size->dtype, 0), size); }

/// Regions by buffer, in the order of first access.
class Accesses {
 public:
  void add(const BufferRef& buffer, const Sets& sets) {
    auto [place, fresh] = places_.try_emplace(buffer.get(), entries_.size());
    if (fresh) {
      entries_.push_back({buffer, sets});
      return;
    }
    Sets& known = entries_[place->second].second;
    for (size_t i = 0; i < known.size() && i < sets.size(); ++i) known[i] = arith::unite(known[i], sets[i]);
  }

  std::vector<Ref<BufferRegion>> regions(const std::unordered_set<const Buffer*>& except) const {
    arith::Analyzer analyzer;
    std::vector<Ref<BufferRegion>> made;
    for (const auto& [buffer, sets] : entries_) {
      if (except.contains(buffer.get())) continue;
      std::vector<Ref<Range>> ranges;
      for (size_t i = 0; i < sets.size(); ++i) {
        const IntSet& set = sets[i];
        if (set.isPoint() || (set.bounded() && analyzer.canProveEqual(set.min, set.max))) {
          ranges.push_back(make<Range>(set.min, arith::constantInt(set.min->dtype, 1)));
        } else {
          ranges.push_back(arith::cover(set, wholeDim(buffer->shape[i])));
        }
      }
      made.push_back(make<BufferRegion>(buffer, Array<Ref<Range>>(std::move(ranges))));
    }
    return made;
  }

 private:
  std::vector<std::pair<BufferRef, Sets>> entries_;
  std::unordered_map<const Buffer*, size_t> places_;
};

class Detector final : public BoundedWalk {
 public:
  Detector(const Block& block, const BufferByPointer& outside) : outside_(outside) {
    for (const auto& match : block.matchBuffers) {
      if (!known(match->source->buffer->data.get())) continue;
      matched_[match->buffer.get()] = match.get();
      views_[match->buffer->data.get()] = match->buffer;
    }
    if (block.init) visit(block.init);
    visit(block.body);
  }

  AccessRegions result(bool hasInit) const {
    std::vector<Ref<BufferRegion>> opaque = opaque_.regions({});
    std::unordered_set<const Buffer*> except;
    for (const auto& region : opaque) except.insert(region->buffer.get());
    std::vector<Ref<BufferRegion>> writes = writes_.regions(except);
    // A block with an init reads what it writes by itself: only the write counts.
    for (const auto& region : writes) {
      if (hasInit) except.insert(region->buffer.get());
    }
    std::vector<Ref<BufferRegion>> reads = reads_.regions(except);
    reads.insert(reads.end(), opaque.begin(), opaque.end());
    writes.insert(writes.end(), opaque.begin(), opaque.end());
    return {Array<Ref<BufferRegion>>(std::move(reads)), Array<Ref<BufferRegion>>(std::move(writes))};
  }

 private:
  bool treats(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) {
      expression(loop->min);
      expression(loop->extent);
      scope().domains[loop->loopVar.get()] = IntSet::fromRange(loop->min, loop->extent);
      visit(loop->body);
      scope().domains.erase(loop->loopVar.get());
    } else if (const auto* realize = as<BlockRealize>(statement)) {
      inner(*realize);
    } else if (const auto* store = as<BufferStore>(statement)) {
      access(writes_, store->buffer, setsOf(store->indices));
      expression(store->value);
      for (const PrimExpr& index : store->indices) expression(index);
      expression(store->predicate);
    } else if (const auto* bind = as<Bind>(statement)) {
      expression(bind->value);
      bound_[bind->var.get()] = arith::substitute(bind->value, bound_);
    } else if (const auto* attr = as<AttrStmt>(statement)) {
      expression(attr->value);
      visit(attr->body);
    } else {
      return false;
    }
    return true;
  }

  bool treats(const Node& node) override {
    if (const auto* load = as<BufferLoad>(&node)) {
      access(reads_, load->buffer, setsOf(load->indices));
      for (const PrimExpr& index : load->indices) expression(index);
      expression(load->predicate);
      return true;
    }
    if (const auto* var = as<Var>(&node)) opaque(var);
    const Call* call = asCallOf(NodeRef(&node), "tvm_access_ptr");
    return call && pointer(*call);
  }

  /// A pointer that says by itself what is done through it; false where it does not.
  bool pointer(const Call& call) {
    const auto* data = call.args.size() == 5 ? as<Var>(call.args[1]) : nullptr;
    const auto mask = data ? asInt(call.args[4]) : std::nullopt;
    if (!mask) return false;
    const BufferRef buffer = known(data);
    if (!buffer || *mask == 0) return true;
    Accesses& into = (*mask & 3) == 3 ? opaque_ : *mask & 1 ? reads_ : writes_;
    access(into, buffer, setsOf(wholeRegion(*buffer)));
    return true;
  }

  void opaque(const Var* data) {
    if (const BufferRef buffer = known(data)) access(opaque_, buffer, setsOf(wholeRegion(*buffer)));
  }

  /// A block inside: what it says it accesses, with its axes' values.
  void inner(const BlockRealize& realize) {
    arith::VarMap map;
    const Block& block = *realize.block;
    for (size_t i = 0; i < block.iterVars.size() && i < realize.iterValues.size(); ++i) {
      map[block.iterVars[i]->var.get()] = realize.iterValues[i];
    }
    auto take = [&](Accesses& into, const Array<Ref<BufferRegion>>& regions) {
      for (const auto& region : regions) {
        Sets sets;
        for (const auto& range : region->region) {
          const auto set = IntSet::fromRange(arith::substitute(range->min, map), arith::substitute(range->extent, map));
          sets.push_back(arith::evalSet(set, scope().domains));
        }
        access(into, region->buffer, sets);
      }
    };
    take(reads_, block.reads);
    take(writes_, block.writes);
  }

  Sets setsOf(const Array<PrimExpr>& indices) {
    Sets sets;
    for (const PrimExpr& index : indices) {
      sets.push_back(arith::evalSet(arith::substitute(index, bound_), scope().domains));
    }
    return sets;
  }
  Sets setsOf(const Array<Ref<Range>>& region) {
    Sets sets;
    for (const auto& range : region) sets.push_back(arith::evalSet(*range, scope().domains));
    return sets;
  }

  void access(Accesses& into, const BufferRef& buffer, const Sets& sets) {
    if (!known(buffer->data.get())) return;
    const auto match = matched_.find(buffer.get());
    if (match == matched_.end()) return into.add(buffer, sets);
    std::vector<Ref<Range>> region;
    for (size_t i = 0; i < sets.size(); ++i) {
      region.push_back(arith::cover(sets[i], wholeDim(buffer->shape[i])));
    }
    into.add(match->second->source->buffer, setsOf(sourceRegion(*match->second, Array<Ref<Range>>(std::move(region)))));
  }

  /// The buffer of a pointer that counts, or null.
  BufferRef known(const Var* data) const {
    for (const BufferByPointer* map : {&views_, &outside_}) {
      const auto found = map->find(data);
      if (found != map->end()) return found->second;
    }
    return nullptr;
  }

  const BufferByPointer& outside_;
  BufferByPointer views_;  ///< of the block itself
  std::unordered_map<const Buffer*, const MatchBufferRegion*> matched_;
  arith::VarMap bound_;
  Accesses reads_, writes_, opaque_;
};

}  // namespace

AccessRegions accessRegions(const Block& block, const BufferByPointer& outside) {
  return Detector(block, outside).result(block.init != nullptr);
}

Array<Ref<Range>> sourceRegion(const MatchBufferRegion& match, const Array<Ref<Range>>& region) {
  const Array<Ref<Range>>& source = match.source->region;
  const size_t offset = source.size() > region.size() ? source.size() - region.size() : 0;
  std::vector<Ref<Range>> made;
  for (size_t i = 0; i < source.size(); ++i) {
    const Ref<Range>& outer = source[i];
    if (i < offset) {
      made.push_back(make<Range>(outer->min, arith::constantInt(outer->min->dtype, 1)));
    } else {
      made.push_back(make<Range>(arith::add(outer->min, region[i - offset]->min), region[i - offset]->extent));
    }
  }
  return Array<Ref<Range>>(std::move(made));
}

Array<Ref<Range>> wholeRegion(const Buffer& buffer) {
  std::vector<Ref<Range>> ranges;
  for (const PrimExpr& size : buffer.shape) ranges.push_back(wholeDim(size));
  return Array<Ref<Range>>(std::move(ranges));
}

}  // namespace rx::lower
