// FlattenBuffer: buffers get one dimension (one for each group of axes that separators part), accesses one index. What
// parameters describe stays for the checks of arguments; a flat view of them is declared at the beginning.
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/buffer_layout.h"
#include "core/lower/scope.h"
#include "core/lower/scoped_rewriter.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What the memory of a buffer holds: truth values lie there as bytes.
DataType storedType(DataType dtype) { return dtype.isBool() ? DataType::Int(8, dtype.lanes) : dtype; }

class Flat : public ScopedRewriter {
 public:
  explicit Flat(const PrimFunc& function) : ScopedRewriter(function), function_(function) {}

  Result<Stmt> flattened() {
    RX_TRY(body, run(function_.body));
    std::vector<Stmt> all;
    for (const BufferRef& buffer : function_.buffers) {
      if (buffer && used_.contains(buffer.get())) all.push_back(make<DeclBuffer>(flat(buffer)));
    }
    if (all.empty()) return body;
    all.push_back(body);
    return inOrder(all);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* store = as<BufferStore>(statement)) return stored(*store);
    if (auto block = refAs<Block>(statement)) return ofBlock(block);
    if (const auto* alloc = as<AllocBuffer>(statement)) {
      auto* made = new AllocBuffer(*alloc);
      made->buffer = flat(alloc->buffer);
      return Stmt(made);
    }
    if (const auto* view = as<DeclBuffer>(statement)) return make<DeclBuffer>(flat(view->buffer));
    return ScopedRewriter::visit(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) return loaded(*load);
    return ScopedRewriter::enter(node);
  }

 private:
  /// The flat form of a buffer; one object for each.
  BufferRef flat(const BufferRef& buffer) {
    BufferRef& known = flat_[buffer.get()];
    if (known) return known;
    kept_.push_back(buffer);
    auto* copy = new Buffer(*buffer);
    std::vector<PrimExpr> shape = flatShape(*buffer);
    for (PrimExpr& size : shape) size = analyzer.simplify(rewrite(size));
    std::vector<PrimExpr> separators;
    for (size_t i = 0; i < buffer->axisSeparators.size(); ++i) {
      separators.push_back(intImm(static_cast<int64_t>(i) + 1, buffer->axisSeparators[i]->dtype));
    }
    copy->shape = Array<PrimExpr>(std::move(shape));
    copy->strides = {};
    copy->axisSeparators = Array<PrimExpr>(std::move(separators));
    copy->dtype = storedType(buffer->dtype);
    copy->layout = nullptr;
    return known = BufferRef(copy);
  }

  std::vector<PrimExpr> indices(const Buffer& buffer, const Array<PrimExpr>& old) {
    const Array<PrimExpr> rewritten = rewrite(old);
    return shortest(elementOffsets(buffer, rewritten));
  }

  bool fits(const Buffer& buffer, size_t count, Span span) {
    if (count == buffer.shape.size()) return true;
    refuse("tir.index-count", "a buffer is indexed with as many indices as it has dimensions", span);
    return false;
  }

  Stmt stored(const BufferStore& store) {
    auto* made = new BufferStore(store);
    Stmt result(made);
    made->value = rewrite(store.value);
    made->predicate = rewrite(store.predicate);
    if (!fits(*store.buffer, store.indices.size(), store.span)) return result;
    used_.insert(store.buffer.get());
    made->indices = Array<PrimExpr>(indices(*store.buffer, store.indices));
    made->buffer = flat(store.buffer);
    if (store.value->dtype.isBool()) made->value = arith::cast(storedType(store.value->dtype), made->value);
    return result;
  }

  NodeRef loaded(const BufferLoad& load) {
    auto* made = new BufferLoad(load);
    PrimExpr result(made);
    made->predicate = rewrite(load.predicate);
    if (!fits(*load.buffer, load.indices.size(), load.span)) return result;
    used_.insert(load.buffer.get());
    made->indices = Array<PrimExpr>(indices(*load.buffer, load.indices));
    made->buffer = flat(load.buffer);
    made->dtype = storedType(load.dtype);
    return load.dtype.isBool() ? arith::cast(load.dtype, result) : result;
  }

  Ref<BufferRegion> region(const Ref<BufferRegion>& old) {
    std::vector<PrimExpr> low, high;
    for (const Ref<Range>& range : old->region) {
      low.push_back(range->min);
      high.push_back(arith::sub(arith::add(range->min, range->extent), arith::constantInt(range->min->dtype, 1)));
    }
    const auto first = indices(*old->buffer, Array<PrimExpr>(std::move(low)));
    const auto last = indices(*old->buffer, Array<PrimExpr>(std::move(high)));
    std::vector<Ref<Range>> ranges;
    for (size_t i = 0; i < first.size(); ++i) {
      const PrimExpr end = arith::add(last[i], arith::constantInt(last[i]->dtype, 1));
      ranges.push_back(make<Range>(first[i], arith::sub(end, first[i])));
    }
    return make<BufferRegion>(flat(old->buffer), Array<Ref<Range>>(std::move(ranges)));
  }

  Stmt ofBlock(const Ref<Block>& block) {
    if (!block->matchBuffers.empty()) {
      refuse("lower.order", "a block still matches buffers: LowerMatchBuffer comes first", block->span);
      return block;
    }
    auto* made = new Block(*block);
    const Stmt copy(made);
    std::vector<BufferRef> allocated;
    for (const BufferRef& buffer : block->allocBuffers) allocated.push_back(flat(buffer));
    made->allocBuffers = Array<BufferRef>(std::move(allocated));
    auto all = [&](const Array<Ref<BufferRegion>>& list) {
      std::vector<Ref<BufferRegion>> regions;
      for (const auto& one : list) regions.push_back(region(one));
      return Array<Ref<BufferRegion>>(std::move(regions));
    };
    made->reads = all(block->reads);
    made->writes = all(block->writes);
    return ScopedRewriter::visit(copy);
  }

  const PrimFunc& function_;
  std::unordered_map<const Buffer*, BufferRef> flat_;
  std::vector<BufferRef> kept_;  // keys of flat_ stay alive
  std::unordered_set<const Buffer*> used_;
};

}  // namespace

Result<PrimFuncRef> flattenBuffer(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Flat(*func).flattened());
  return unlessSame(func, withBody(func, body));
}

}  // namespace rx::lower
