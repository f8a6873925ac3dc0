#include "core/schedule/access_simplifier.h"

#include "core/ir/all_nodes.h"
#include "core/lower/scoped_rewriter.h"

namespace rx::schedule {

using namespace tir;

namespace {

class AccessSimplifier : public lower::ScopedRewriter {
 public:
  using ScopedRewriter::ScopedRewriter;

 protected:
  Stmt visit(const Stmt& statement) override {
    const Stmt made = ScopedRewriter::visit(statement);
    const auto* store = as<BufferStore>(made);
    if (!store) return made;
    auto* copy = new BufferStore(*store);
    const Stmt simple(copy);
    copy->indices = simplified(store->indices);
    return simple;
  }

  NodeRef enter(const NodeRef& node) override {
    const auto* region = as<BufferRegion>(node);
    if (!region) return ScopedRewriter::enter(node);
    std::vector<PrimExpr> begins;
    for (const auto& range : region->region) begins.push_back(range->min);
    const Array<PrimExpr> simple = simplified(Array<PrimExpr>(std::move(begins)));
    std::vector<Ref<Range>> ranges;
    for (size_t i = 0; i < simple.size(); ++i) {
      ranges.push_back(make<Range>(simple[i], analyzer.simplify(region->region[i]->extent)));
    }
    return make<BufferRegion>(region->buffer, Array<Ref<Range>>(std::move(ranges)));
  }

  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load) return ScopedRewriter::leave(node);
    auto* copy = new BufferLoad(*load);
    const NodeRef simple(copy);
    copy->indices = simplified(load->indices);
    return simple;
  }

 private:
  Array<PrimExpr> simplified(const Array<PrimExpr>& indices) { return keepingVars(indices, shortest(indices)); }
};

}  // namespace

Array<PrimExpr> keepingVars(std::span<const PrimExpr> indices, std::vector<PrimExpr> shorter) {
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (isa<IntImm>(shorter[i]) && isa<Var>(indices[i])) shorter[i] = indices[i];
  }
  return Array<PrimExpr>(std::move(shorter));
}

Stmt withSimpleAccesses(const PrimFunc& function, const Stmt& statement) {
  return AccessSimplifier(function).rewrite(statement);
}

}  // namespace rx::schedule
