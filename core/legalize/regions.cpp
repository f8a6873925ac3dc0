#include <algorithm>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/legalize/function.h"

namespace rx::te {

using namespace tir;

namespace {

/// Interval of an index; a null end is not known. A single point has both ends the same.
struct Interval {
  PrimExpr min, max;
  bool known() const { return min && max; }
  bool point() const { return min && max && (min == max || arith::sameExpr(min, max)); }
};

Interval join(arith::Analyzer& analyzer, const Interval& a, const Interval& b) {
  if (a.point() && b.point() && arith::sameExpr(a.min, b.min)) return a;
  Interval out;
  if (a.min && b.min) out.min = analyzer.simplify(arith::min(a.min, b.min));
  if (a.max && b.max) out.max = analyzer.simplify(arith::max(a.max, b.max));
  return out;
}

bool hasUnknown(const PrimExpr& e) {
  bool found = false;
  walk(*e, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (isa<tir::Call>(&node) || (load && !load->dtype.isIntegral())) found = true;
    return !found && !isa<Buffer>(&node) && !isa<BufferLoad>(&node);
  });
  return found;
}

/// The values that an index may take: itself, unless it holds a call or a float that is read, whose value
/// is not known. Depth is that of one
/// index expression of an operator's own making.
Interval evaluate(arith::Analyzer& analyzer, const PrimExpr& e, int depth = 0) {
  constexpr int kMaxDepth = 200;
  if (depth > kMaxDepth) return {};
  if (!hasUnknown(e)) return {e, e};
  auto sub = [&](const PrimExpr& x) { return evaluate(analyzer, x, depth + 1); };
  if (const auto* convert = as<tir::Cast>(e)) {
    Interval v = sub(convert->value);
    return {v.min ? arith::cast(e->dtype, v.min) : nullptr, v.max ? arith::cast(e->dtype, v.max) : nullptr};
  }
  const auto* binary = as<BinaryNode>(e);
  if (!binary) return {};
  Interval a = sub(binary->a), b = sub(binary->b);
  auto both = [&](const PrimExpr& x, const PrimExpr& y) {
    return x && y ? arith::makeBinary(e->kind(), x, y) : nullptr;
  };
  switch (e->kind()) {
    case Kind::tir_Add:
      return {both(a.min, b.min), both(a.max, b.max)};
    case Kind::tir_Sub:
      return {both(a.min, b.max), both(a.max, b.min)};
    case Kind::tir_Min: {
      Interval out{both(a.min, b.min), both(a.max, b.max)};
      if (!out.max) out.max = a.max ? a.max : b.max;
      return out;
    }
    case Kind::tir_Max: {
      Interval out{both(a.min, b.min), both(a.max, b.max)};
      if (!out.min) out.min = a.min ? a.min : b.min;
      return out;
    }
    default:
      return {};
  }
}

class Collector {
 public:
  void statement(const Stmt& root) {
    // Pre-order: an access comes before those in its indices; a store's target comes before its value.
    std::vector<const Node*> open{root.get()}, children;
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (!node || isa<Buffer>(node)) continue;
      children.clear();
      if (const auto* load = as<BufferLoad>(node)) {
        touch(reads_, load->buffer, load->indices);
        for (const PrimExpr& i : load->indices) children.push_back(i.get());
      } else if (const auto* store = as<BufferStore>(node)) {
        touch(writes_, store->buffer, store->indices);
        children.push_back(store->value.get());
        for (const PrimExpr& i : store->indices) children.push_back(i.get());
      } else {
        appendChildren(*node, Into::Parts, children);
      }
      open.insert(open.end(), children.rbegin(), children.rend());
    }
  }

  Regions result(bool excludeWrites) {
    Regions out;
    std::vector<Ref<BufferRegion>> reads, writes;
    for (const Access& a : reads_) {
      bool written = std::any_of(writes_.begin(), writes_.end(), [&](const Access& w) { return w.buffer == a.buffer; });
      if (!excludeWrites || !written) reads.push_back(region(a));
    }
    for (const Access& a : writes_) writes.push_back(region(a));
    return {Array<Ref<BufferRegion>>(std::move(reads)), Array<Ref<BufferRegion>>(std::move(writes))};
  }

 private:
  struct Access {
    BufferRef buffer;
    std::vector<Interval> dims;
  };

  void touch(std::vector<Access>& list, const BufferRef& buffer, const Array<PrimExpr>& indices) {
    std::vector<Interval> dims;
    for (const PrimExpr& index : indices) dims.push_back(evaluate(analyzer_, index));
    for (Access& access : list) {
      if (access.buffer != buffer) continue;
      for (size_t i = 0; i < dims.size(); ++i) access.dims[i] = join(analyzer_, access.dims[i], dims[i]);
      return;
    }
    list.push_back({buffer, std::move(dims)});
  }

  Ref<BufferRegion> region(const Access& access) {
    std::vector<Ref<Range>> ranges;
    for (size_t i = 0; i < access.dims.size(); ++i) {
      const Interval& d = access.dims[i];
      if (d.point()) {
        ranges.push_back(make<Range>(d.min, intImm(1, d.min->dtype)));
      } else if (d.known()) {
        PrimExpr extent = analyzer_.simplify(arith::add(arith::sub(d.max, d.min), intImm(1, d.min->dtype)));
        ranges.push_back(make<Range>(analyzer_.simplify(d.min), extent));
      } else {
        ranges.push_back(make<Range>(intImm(0, access.buffer->shape[i]->dtype), access.buffer->shape[i]));
      }
    }
    return make<BufferRegion>(access.buffer, Array<Ref<Range>>(std::move(ranges)));
  }

  arith::Analyzer analyzer_;
  std::vector<Access> reads_, writes_;
};

}  // namespace

Regions accessRegions(const Stmt& init, const Stmt& body) {
  Collector collector;
  if (init) collector.statement(init);
  collector.statement(body);
  return collector.result(static_cast<bool>(init));
}

}  // namespace rx::te
