// reverse_compute_inline: what a block makes of its only producer's result is stored by the producer itself.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/inline.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "reverse_compute_inline";

/// The store in the body of a producer: alone, or in a branch without another side.
const BufferStore* storeOf(const Block& block) {
  const auto* branch = as<IfThenElse>(block.body);
  if (!branch) return as<BufferStore>(block.body);
  return branch->elseCase ? nullptr : as<BufferStore>(branch->thenCase);
}

/// Where the store reads the buffer; nothing where it does at several places, or nowhere.
std::optional<Array<PrimExpr>> placeOfLoads(const BufferStore& store, const Buffer& buffer) {
  std::optional<Array<PrimExpr>> place;
  bool one = true;
  walk(store, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (load && load->buffer.get() == &buffer) {
      one = one && (!place || arith::sameExprs(*place, load->indices));
      place = load->indices;
    }
    return !isa<Buffer>(&node);
  });
  return one ? place : std::nullopt;
}

class ReverseInliner : public Inliner {
 public:
  /// `axes`: those of the consumer by those of the producer.
  ReverseInliner(const InlineSite& site, BufferRef buffer, const Block& producer, arith::VarMap axes)
      : Inliner(site, std::move(buffer)), site_(site), producer_(&producer), axes_(std::move(axes)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* realize = as<BlockRealize>(statement);
    if (realize && realize->block.get() == producer_) {
      const Stmt made = Inliner::visit(statement);
      return guarded(*as<BlockRealize>(made));
    }
    const auto* store = as<BufferStore>(statement);
    if (!store || store->buffer != buffer()) return Inliner::visit(statement);
    const PrimExpr own = store->value;
    return ValueInserter(buffer(), own, axes_).rewrite(Stmt(site_.store));
  }

 private:
  /// The consumer's store with the producer's value and axes.
  class ValueInserter : public lower::Rewriter {
   public:
    ValueInserter(const BufferRef& buffer, PrimExpr value, const arith::VarMap& axes)
        : buffer_(buffer), value_(std::move(value)), axes_(axes) {}

   protected:
    NodeRef enter(const NodeRef& node) override {
      const auto* load = as<BufferLoad>(node);
      if (load && load->buffer == buffer_) return value_;
      const auto* var = as<Var>(node);
      const auto axis = var ? axes_.find(var) : axes_.end();
      return axis == axes_.end() ? nullptr : NodeRef(axis->second);
    }

   private:
    const BufferRef& buffer_;
    PrimExpr value_;
    const arith::VarMap& axes_;
  };

  /// The producer runs only where the consumer did.
  Stmt guarded(const BlockRealize& realize) const {
    arith::Canon canon;
    for (const auto& axis : producer_->iterVars) canon.bind(axis->var, axis->dom->min, axis->dom->extent);
    PrimExpr inside = boolImm(true);
    for (const auto& axis : site_.realize->block->iterVars) {
      const PrimExpr value = axes_.at(axis->var.get());
      inside = arith::logicalAnd(inside, arith::ge(value, axis->dom->min));
      inside = arith::logicalAnd(inside, arith::lt(value, arith::add(axis->dom->min, axis->dom->extent)));
    }
    inside = canon.simplify(inside);
    if (arith::isOne(inside)) return Stmt(&realize);
    Ref<Block> block = realize.block;
    if (const auto* branch = as<IfThenElse>(block->body)) {
      if (!arith::sameExpr(inside, canon.simplify(branch->condition))) {
        inside = canon.simplify(arith::logicalAnd(inside, branch->condition));
        block = changed(*block, [&](Block& copy) { copy.body = branch->thenCase; });
      }
    }
    const PrimExpr predicate = canon.simplify(arith::substitute(inside, bindings(realize)));
    return make<BlockRealize>(realize.iterValues, predicate, block);
  }

  const InlineSite& site_;
  const Block* producer_;
  const arith::VarMap axes_;
};

/// The only buffer among those that the block reads and blocks of the scope write; null where there are none or more.
BufferRef onlyInput(const Block& block, const BlockScope& scope) {
  BufferRef found;
  for (const auto& read : block.reads) {
    const bool written = std::any_of(scope.blocks().begin(), scope.blocks().end(), [&](const auto& other) {
      return regionOf(other->block->writes, *read->buffer) != nullptr;
    });
    if (!written || read->buffer == found) continue;
    if (found) return nullptr;
    found = read->buffer;
  }
  return found;
}

/// The axes of the consumer as what they are in the step of the producer that writes the element; nothing where the
/// producer does not reach all of them.
std::optional<arith::VarMap> axesOf(const Block& consumer, const Array<PrimExpr>& loads, const Block& producer,
                                    const BufferStore& store) {
  arith::Analyzer analyzer;
  std::vector<arith::IterRange> ranges;
  for (const auto& axis : consumer.iterVars) ranges.push_back({axis->var, axis->dom->min, axis->dom->extent});
  const auto sums =
      arith::detectIterMap({loads.span(), ranges, nullptr, arith::IterMapLevel::NoCheck, false}, analyzer);
  if (!sums) return std::nullopt;
  auto axes = arith::invertIterMap(*sums, store.indices, analyzer);
  if (!axes) return std::nullopt;
  arith::Domains domains;
  for (const auto& axis : producer.iterVars) domains[axis->var.get()] = arith::IntSet::fromRange(*axis->dom);
  for (const auto& axis : consumer.iterVars) {
    const Range& range = *axis->dom;
    if (isa<IntImm>(range.min) && arith::isOne(range.extent)) axes->try_emplace(axis->var.get(), range.min);
    const auto value = axes->find(axis->var.get());
    if (value == axes->end()) return std::nullopt;
    const arith::IntSet set = arith::evalSet(value->second, domains);
    const PrimExpr last = arith::sub(arith::add(range.min, range.extent), arith::constantInt(range.min->dtype, 1));
    if (set.min && analyzer.canProve(arith::gt(set.min, range.min))) return std::nullopt;
    if (set.max && analyzer.canProve(arith::lt(set.max, last))) return std::nullopt;
  }
  return axes;
}

}  // namespace

Result<Unit> bare::reverseComputeInline(Schedule& schedule, BlockRef block) {
  RX_TRY(site, inlineSite(schedule, kName, block));
  const Block& consumer = *site.realize->block;
  const std::string_view name = schedule.name(block);
  const BlockScope scope(*site.scope);
  const BufferRef buffer = onlyInput(consumer, scope);
  if (!buffer) return refuse(kName, name, "it does not read one buffer of another block");
  const Ref<BlockRealize> producer = scope.onlyWriter(*buffer);
  if (!producer) return refuse(kName, name, "several blocks write what it reads");
  if (const std::string_view why = scope.whyIncomplete(*producer->block); !why.empty()) {
    return refuse(kName, name, "its producer is not complete");
  }
  if (producer->block->init) return refuse(kName, name, "its producer has an init");
  if (scope.isOutput(*producer->block)) return refuse(kName, name, "what its producer writes is seen outside");
  if (!arith::isOne(site.realize->predicate)) return refuse(kName, name, "it runs under a predicate");
  const auto loads = placeOfLoads(*site.store, *buffer);
  if (!loads) return refuse(kName, name, "it does not read its producer at one place");
  const BufferStore* store = storeOf(*producer->block);
  if (!store) return refuse(kName, name, "the body of its producer is not a single store");
  auto axes = axesOf(consumer, *loads, *producer->block, *store);
  if (!axes) return refuse(kName, name, "its axes do not follow from those of its producer");
  if (hasOpaqueAccess(site.rest, *buffer)) return refuse(kName, name, "the buffer between them is used as a whole");
  ReverseInliner inliner(site, buffer, *producer->block, std::move(*axes));
  const BlockRef into = schedule.handle(*producer->block);
  schedule.replace(site.scope, inliner.rewrite(Stmt(site.rest)));
  schedule.moved(into);
  return Unit{};
}

}  // namespace rx::schedule
