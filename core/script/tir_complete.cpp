#include "core/script/tir_complete.h"

#include <unordered_map>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"

namespace rx::script {

using tir::PrimExpr;

namespace {

bool holdsBlock(const tir::Stmt& body) {
  bool found = false;
  walk(*body, Into::Parts, [&](const Node& node) {
    found |= isa<tir::BlockRealize>(&node);
    return !found && !isa<tir::ExprNode>(&node);
  });
  return found;
}

/// What an expression can be while some variables run over ranges: from `min` to `max`, both included; null = unknown.
struct Interval {
  PrimExpr min, max;
  bool known() const { return min && max; }
  bool point() const { return min.get() == max.get(); }
};

using Domain = std::unordered_map<const tir::Var*, Interval>;

/// Evaluates over the ranges of `domain`. Depth is that of an index expression; chains of sums go left in a loop.
class Relaxer {
 public:
  explicit Relaxer(const Domain& domain) : domain_(domain) {}

  Interval of(const PrimExpr& root) {
    // Post-order with an explicit stack: index expressions may be long chains.
    std::vector<const Node*> order;
    walkPostOrder(*root, Into::Parts, [&](const Node& node) {
      if (isa<tir::ExprNode>(&node)) order.push_back(&node);
    });
    for (const Node* node : order) {
      if (!done_.contains(node)) done_[node] = step(PrimExpr(static_cast<const tir::ExprNode*>(node)));
    }
    return done_[root.get()];
  }

 private:
  Interval get(const PrimExpr& e) { return done_[e.get()]; }

  Interval step(const PrimExpr& e) {
    if (const auto* var = as<tir::Var>(e)) {
      auto found = domain_.find(var);
      return found == domain_.end() ? Interval{e, e} : found->second;
    }
    if (const auto* b = as<tir::BinaryNode>(e)) return binary(e, *b);
    if (const auto* c = as<tir::Cast>(e)) {
      Interval v = get(c->value);
      if (!v.known()) return {};
      if (v.point() && v.min == c->value) return {e, e};
      return {arith::cast(e->dtype, v.min), arith::cast(e->dtype, v.max)};
    }
    if (const auto* s = as<tir::Select>(e)) return choice(e, s->condition, s->trueValue, s->falseValue);
    // Anything else is a value of its own as long as nothing in it runs.
    std::vector<const Node*> children;
    appendChildren(*e, Into::Parts, children);
    for (const Node* child : children) {
      if (!child || !isa<tir::ExprNode>(child)) continue;
      Interval v = done_[child];
      if (!v.known() || !v.point() || v.min.get() != child) return {};
    }
    return {e, e};
  }

  Interval choice(const PrimExpr& e, const PrimExpr& c, const PrimExpr& t, const PrimExpr& f) {
    Interval a = get(t), b = get(f), k = get(c);
    if (!a.known() || !b.known()) return {};
    if (a.point() && a.min == t && b.point() && b.min == f && k.known() && k.point()) return {e, e};
    return {arith::min(a.min, b.min), arith::max(a.max, b.max)};
  }

  Interval binary(const PrimExpr& e, const tir::BinaryNode& node) {
    Interval a = get(node.a), b = get(node.b);
    if (!a.known() || !b.known()) return {};
    if (a.point() && b.point() && a.min == node.a && b.min == node.b) return {e, e};
    auto both = [](PrimExpr x, PrimExpr y) { return Interval{std::move(x), std::move(y)}; };
    auto one = [](const PrimExpr& x) { return Interval{x, x}; };
    bool point = a.point() && b.point();
    switch (e->kind()) {
      case Kind::tir_Add:
        return point ? one(arith::add(a.min, b.min)) : both(arith::add(a.min, b.min), arith::add(a.max, b.max));
      case Kind::tir_Sub:
        return point ? one(arith::sub(a.min, b.min)) : both(arith::sub(a.min, b.max), arith::sub(a.max, b.min));
      case Kind::tir_Mul:
        if (point) return one(arith::mul(a.min, b.min));
        if (b.point()) return scaled(a, b.min);
        if (a.point()) return scaled(b, a.min);
        return {};
      case Kind::tir_FloorDiv:
      case Kind::tir_Div: {
        if (point) return one(arith::makeBinary(e->kind(), a.min, b.min));
        if (!b.point() || !analyzer_.canProveGreaterEqual(b.min, 1)) return {};
        return both(arith::makeBinary(e->kind(), a.min, b.min), arith::makeBinary(e->kind(), a.max, b.min));
      }
      case Kind::tir_FloorMod:
      case Kind::tir_Mod: {
        if (point) return one(arith::makeBinary(e->kind(), a.min, b.min));
        if (!b.point() || !analyzer_.canProveGreaterEqual(b.min, 1)) return {};
        PrimExpr low = arith::floorDiv(a.min, b.min), high = arith::floorDiv(a.max, b.min);
        if (analyzer_.canProveEqual(low, high)) {
          PrimExpr base = arith::mul(low, b.min);
          return both(arith::sub(a.min, base), arith::sub(a.max, base));
        }
        return both(arith::constantInt(e->dtype, 0), arith::sub(b.min, arith::constantInt(e->dtype, 1)));
      }
      case Kind::tir_Min:
        return both(arith::min(a.min, b.min), arith::min(a.max, b.max));
      case Kind::tir_Max:
        return both(arith::max(a.min, b.min), arith::max(a.max, b.max));
      default:
        return {};
    }
  }

  Interval scaled(const Interval& a, const PrimExpr& factor) {
    if (analyzer_.canProveGreaterEqual(factor, 0)) return {arith::mul(a.min, factor), arith::mul(a.max, factor)};
    PrimExpr negative = arith::neg(factor);
    if (analyzer_.canProveGreaterEqual(negative, 0)) return {arith::mul(a.max, factor), arith::mul(a.min, factor)};
    return {};
  }

  const Domain& domain_;
  arith::Analyzer analyzer_;
  std::unordered_map<const Node*, Interval> done_;
};

/// The accessed parts of one buffer, united.
struct Access {
  tir::BufferRef buffer;
  std::vector<Interval> dims;
};

class Detector {
 public:
  explicit Detector(const tir::Block& block) : block_(block) {
    for (const auto& buffer : block.allocBuffers) local_.push_back(buffer.get());
    for (const auto& match : block.matchBuffers) {
      matched_.push_back(match.get());
    }
  }

  void run() {
    if (block_.init) visit(block_.init);
    visit(block_.body);
  }

  Array<Ref<tir::BufferRegion>> reads() { return regions(reads_, &writes_); }
  Array<Ref<tir::BufferRegion>> writes() { return regions(writes_, nullptr); }

 private:
  struct Step {
    const Node* node;
    bool leave;
  };

  void visit(const tir::Stmt& body) {
    std::vector<Step> stack{{body.get(), false}};
    while (!stack.empty()) {
      Step step = stack.back();
      stack.pop_back();
      const Node* node = step.node;
      if (!node) continue;
      if (step.leave) {
        if (const auto* loop = as<tir::For>(node)) domain_.erase(loop->loopVar.get());
        continue;
      }
      if (const auto* loop = as<tir::For>(node)) {
        expression(loop->min);
        expression(loop->extent);
        Relaxer relax(domain_);
        Interval low = relax.of(loop->min), size = relax.of(loop->extent);
        Interval range;
        if (low.known() && size.known()) {
          PrimExpr last = arith::sub(arith::add(low.max, size.max), arith::constantInt(loop->extent->dtype, 1));
          range = {low.min, last};
        }
        domain_[loop->loopVar.get()] = range;
        stack.push_back({node, true});
        stack.push_back({loop->body.get(), false});
      } else if (const auto* realize = as<tir::BlockRealize>(node)) {
        inner(*realize);
      } else if (const auto* store = as<tir::BufferStore>(node)) {
        point(writes_, store->buffer, store->indices.span());
        for (const auto& index : store->indices) expression(index);
        expression(store->value);
        expression(store->predicate);
      } else if (isa<tir::AllocBuffer>(node) || isa<tir::DeclBuffer>(node)) {
        local_.push_back(isa<tir::AllocBuffer>(node) ? as<tir::AllocBuffer>(node)->buffer.get()
                                                     : as<tir::DeclBuffer>(node)->buffer.get());
      } else if (isa<tir::ExprNode>(node)) {
        expression(PrimExpr(static_cast<const tir::ExprNode*>(node)));
      } else {
        std::vector<const Node*> children;
        appendChildren(*node, Into::Parts, children);
        for (size_t i = children.size(); i-- > 0;) {
          if (children[i] && !isa<tir::Var>(children[i])) stack.push_back({children[i], false});
        }
      }
    }
  }

  void expression(const PrimExpr& e) {
    if (!e) return;
    walk(*e, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<tir::BufferLoad>(&node)) {
        point(reads_, load->buffer, load->indices.span());
        for (const auto& index : load->indices) expression(index);
        return false;
      }
      return !isa<tir::Buffer>(&node);
    });
  }

  /// A block inside: what it says it accesses, with its axes' values.
  void inner(const tir::BlockRealize& realize) {
    const tir::Block& block = *realize.block;
    for (const auto& value : realize.iterValues) expression(value);
    arith::VarMap map;
    for (size_t i = 0; i < block.iterVars.size() && i < realize.iterValues.size(); ++i) {
      map[block.iterVars[i]->var.get()] = realize.iterValues[i];
    }
    auto take = [&](std::vector<Access>& into, const Array<Ref<tir::BufferRegion>>& regions) {
      for (const auto& region : regions) {
        std::vector<Ref<tir::Range>> ranges;
        for (const auto& r : region->region) {
          ranges.push_back(make<tir::Range>(arith::substitute(r->min, map), arith::substitute(r->extent, map)));
        }
        access(into, region->buffer, ranges);
      }
    };
    take(reads_, block.reads);
    take(writes_, block.writes);
  }

  void point(std::vector<Access>& into, const tir::BufferRef& buffer, std::span<const PrimExpr> indices) {
    std::vector<Ref<tir::Range>> ranges;
    for (const PrimExpr& index : indices) {
      if (const auto* ramp = as<tir::Ramp>(index)) {
        PrimExpr lanes = arith::cast(ramp->base->dtype, ramp->lanes);
        ranges.push_back(make<tir::Range>(ramp->base, arith::mul(lanes, ramp->stride)));
      } else {
        ranges.push_back(make<tir::Range>(index, arith::constantInt(index->dtype, 1)));
      }
    }
    access(into, buffer, ranges);
  }

  void access(std::vector<Access>& into, const tir::BufferRef& buffer, std::span<const Ref<tir::Range>> ranges) {
    for (const tir::Buffer* own : local_) {
      if (own == buffer.get()) return;
    }
    // What is done to another view of a region is done to the region.
    for (const tir::MatchBufferRegion* match : matched_) {
      if (match->buffer != buffer) continue;
      const auto& source = match->source->region;
      if (source.size() < ranges.size()) return;
      size_t offset = source.size() - ranges.size();
      std::vector<Ref<tir::Range>> mapped(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset));
      for (size_t i = 0; i < ranges.size(); ++i) {
        tir::PrimExpr a = source[i + offset]->min, b = ranges[i]->min;
        if (!arith::matchTypes(a, b)) return;
        mapped.push_back(make<tir::Range>(arith::add(a, b), ranges[i]->extent));
      }
      return access(into, match->source->buffer, mapped);
    }
    Relaxer relax(domain_);
    std::vector<Interval> dims;
    for (const auto& range : ranges) {
      Interval low = relax.of(range->min);
      if (tir::asInt(range->extent) == 1) {
        dims.push_back(low);
        continue;
      }
      Interval size = relax.of(range->extent);
      if (!low.known() || !size.known()) {
        dims.push_back({});
        continue;
      }
      dims.push_back({low.min, arith::sub(arith::add(low.max, size.max), arith::constantInt(size.max->dtype, 1))});
    }
    for (Access& old : into) {
      if (old.buffer != buffer) continue;
      for (size_t i = 0; i < dims.size() && i < old.dims.size(); ++i) {
        Interval& a = old.dims[i];
        if (!a.known() || !dims[i].known()) {
          a = {};
          continue;
        }
        bool sameMin = a.min == dims[i].min || analyzer_.canProveEqual(a.min, dims[i].min);
        bool sameMax = a.max == dims[i].max || analyzer_.canProveEqual(a.max, dims[i].max);
        if (sameMin && sameMax) continue;
        PrimExpr low = sameMin ? a.min : pick(a.min, dims[i].min, true);
        PrimExpr high = sameMax ? a.max : pick(a.max, dims[i].max, false);
        a = {low, high};
      }
      return;
    }
    into.push_back({buffer, std::move(dims)});
  }

  PrimExpr pick(const PrimExpr& a, const PrimExpr& b, bool least) {
    if (analyzer_.canProve(arith::le(a, b))) return least ? a : b;
    if (analyzer_.canProve(arith::le(b, a))) return least ? b : a;
    return analyzer_.simplify(least ? arith::min(a, b) : arith::max(a, b));
  }

  Array<Ref<tir::BufferRegion>> regions(const std::vector<Access>& accesses, const std::vector<Access>* except) {
    std::vector<Ref<tir::BufferRegion>> out;
    for (const Access& access : accesses) {
      std::vector<Ref<tir::Range>> ranges;
      for (size_t i = 0; i < access.dims.size(); ++i) {
        const Interval& d = access.dims[i];
        if (!d.known()) {
          const PrimExpr& size = access.buffer->shape[i];
          ranges.push_back(make<tir::Range>(arith::constantInt(size->dtype, 0), size));
        } else if (d.min == d.max || analyzer_.canProveEqual(d.min, d.max)) {
          ranges.push_back(make<tir::Range>(d.min, arith::constantInt(d.min->dtype, 1)));
        } else {
          PrimExpr size = arith::add(arith::sub(d.max, d.min), arith::constantInt(d.min->dtype, 1));
          ranges.push_back(make<tir::Range>(analyzer_.simplify(d.min), analyzer_.simplify(size)));
        }
      }
      // A block with an init reads what it writes by itself: only the write counts.
      bool same = false;
      for (size_t w = 0; except && block_.init && w < except->size(); ++w) same |= (*except)[w].buffer == access.buffer;
      if (!same) out.push_back(make<tir::BufferRegion>(access.buffer, Array<Ref<tir::Range>>(std::move(ranges))));
    }
    return Array<Ref<tir::BufferRegion>>(std::move(out));
  }

  const tir::Block& block_;
  std::vector<const tir::Buffer*> local_;
  std::vector<const tir::MatchBufferRegion*> matched_;
  Domain domain_;
  std::vector<Access> reads_, writes_;
  arith::Analyzer analyzer_;
};

}  // namespace

tir::Stmt completeFunction(tir::Stmt body, const std::vector<tir::BufferRef>& rootAllocs) {
  const auto* realize = as<tir::BlockRealize>(body);
  bool insert = !rootAllocs.empty();
  if (realize && !realize->block->iterVars.empty()) insert = true;
  if (!realize && holdsBlock(body)) insert = true;
  if (!insert) return body;
  auto root = std::make_unique<tir::Block>();
  root->name = Str("root");
  root->allocBuffers = Array<tir::BufferRef>(rootAllocs);
  root->body = std::move(body);
  return make<tir::BlockRealize>(Array<PrimExpr>(), tir::boolImm(true), Ref<tir::Block>(root.release()));
}

void detectRegions(tir::Block& block, bool readsGiven, bool writesGiven) {
  Detector detector(block);
  detector.run();
  if (!readsGiven) block.reads = detector.reads();
  if (!writesGiven) block.writes = detector.writes();
}

}  // namespace rx::script
