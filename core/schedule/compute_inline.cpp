// compute_inline: what a block writes is computed where it is read.
#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/inline.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// The value of an element by its indices.
struct ElementValue {
  std::vector<VarRef> indices;
  PrimExpr value;
};

/// Nothing where several steps of the block may write one element, or not all of the buffer's elements are reached.
std::optional<ElementValue> elementValue(const Block& block, const BufferStore& store) {
  arith::Analyzer analyzer;
  ElementValue made{{}, store.value};
  std::vector<arith::IterRange> ranges;
  for (const auto& axis : block.iterVars) ranges.push_back({axis->var, axis->dom->min, axis->dom->extent});
  auto own = [&](size_t i) {
    const Range& range = *block.iterVars[i]->dom;
    return store.indices[i] == block.iterVars[i]->var ||
           (arith::isZero(store.indices[i]) && arith::isZero(range.min) && arith::isOne(range.extent));
  };
  size_t same = 0;
  while (same < ranges.size() && ranges.size() == store.indices.size() && own(same)) ++same;
  if (same == store.indices.size() && same == ranges.size()) {
    for (const auto& axis : block.iterVars) made.indices.push_back(axis->var);
    return made;
  }
  const auto sums =
      arith::detectIterMap({store.indices.span(), ranges, nullptr, arith::IterMapLevel::Bijective, false}, analyzer);
  if (!sums) return std::nullopt;
  std::vector<PrimExpr> places;
  for (const PrimExpr& index : store.indices) {
    made.indices.push_back(make<Var>(Str("ph"), index->dtype));
    places.push_back(made.indices.back());
  }
  auto inverse = arith::invertIterMap(*sums, places, analyzer);
  if (!inverse) return std::nullopt;
  for (const auto& axis : block.iterVars) {
    if (isa<IntImm>(axis->dom->min) && arith::isOne(axis->dom->extent)) (*inverse)[axis->var.get()] = axis->dom->min;
  }
  made.value = arith::substitute(store.value, *inverse);
  return made;
}

class ComputeInliner : public Inliner {
 public:
  ComputeInliner(const InlineSite& site, BufferRef buffer, ElementValue element)
      : Inliner(site, std::move(buffer)), element_(std::move(element)) {}

 protected:
  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load || load->buffer != buffer()) return node;
    arith::VarMap map;
    for (size_t i = 0; i < element_.indices.size(); ++i) map[element_.indices[i].get()] = load->indices[i];
    return arith::substitute(element_.value, map);
  }

 private:
  ElementValue element_;
};

}  // namespace

Result<Unit> bare::computeInline(Schedule& schedule, BlockRef block) {
  constexpr std::string_view kName = "compute_inline";
  RX_TRY(site, inlineSite(schedule, kName, block));
  const Block& producer = *site.realize->block;
  const std::string_view name = schedule.name(block);
  if (producer.writes.size() != 1) return refuse(kName, name, "it does not write one buffer");
  if (BlockScope(*site.scope).isOutput(producer)) return refuse(kName, name, "what it writes is seen outside");
  auto element = elementValue(producer, *site.store);
  if (!element) return refuse(kName, name, "its axes do not follow from where it writes");
  const BufferRef buffer = producer.writes[0]->buffer;
  if (hasOpaqueAccess(site.rest, *buffer)) return refuse(kName, name, "its buffer is used as a whole");
  ComputeInliner inliner(site, buffer, std::move(*element));
  schedule.replace(site.scope, inliner.rewrite(Stmt(site.rest)));
  return Unit{};
}

}  // namespace rx::schedule
