#include "core/schedule/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// S: in all; I, J: in the first or second operand and the result; K: in both operands; T: of one step.
enum class Letter : uint8_t { S, I, J, K, T };

struct AxisLetter {
  const Var* var;
  Letter letter;
  PrimExpr extent;
};

/// Nothing where the block has another form.
std::optional<std::vector<AxisLetter>> lettersOf(const Block& block) {
  if (block.reads.size() != 2 || block.writes.size() != 1) return std::nullopt;
  const Ref<BufferRegion> regions[] = {block.reads[0], block.reads[1], block.writes[0]};
  std::unordered_set<const Var*> used[3];
  for (size_t i = 0; i < 3; ++i) {
    for (const auto& range : regions[i]->region) {
      if (!arith::isOne(range->extent)) return std::nullopt;
    }
    used[i] = varsOf(regions[i]->region);
  }
  std::vector<AxisLetter> letters;
  for (const auto& axis : block.iterVars) {
    const Var* var = axis->var.get();
    const bool a = used[0].contains(var), b = used[1].contains(var), c = used[2].contains(var);
    std::optional<Letter> letter;
    if (arith::isOne(axis->dom->extent)) {
      letter = Letter::T;
    } else if (axis->iterType == IterType::DataPar && c) {
      if (a || b) letter = a && b ? Letter::S : a ? Letter::I : Letter::J;
    } else if (axis->iterType == IterType::CommReduce && a && b && !c) {
      letter = Letter::K;
    }
    if (!letter) return std::nullopt;
    letters.push_back({var, *letter, axis->dom->extent});
  }
  for (const Letter needed : {Letter::I, Letter::J, Letter::K}) {
    if (std::none_of(letters.begin(), letters.end(), [&](const AxisLetter& l) { return l.letter == needed; })) {
      return std::nullopt;
    }
  }
  return letters;
}

/// Fuses the axes in the region (all where there is none) by letter.
Ref<IndexMap> fusingMap(const std::vector<AxisLetter>& letters, const BufferRegion* region,
                        std::initializer_list<Letter> order) {
  std::vector<VarRef> from;
  std::map<Letter, PrimExpr> fused;
  std::unordered_set<const Var*> used;
  if (region) used = varsOf(region->region);
  DataType type = DataType::Int(64);
  for (const AxisLetter& axis : letters) {
    if (region && !used.contains(axis.var)) continue;
    if (from.empty()) type = axis.extent->dtype;
    from.push_back(make<Var>(Str(fmt::format("i{}", from.size())), axis.extent->dtype));
    if (axis.letter == Letter::T) continue;
    PrimExpr& value = fused[axis.letter];
    value = value ? arith::add(arith::mul(value, axis.extent), from.back()) : PrimExpr(from.back());
  }
  std::vector<PrimExpr> to;
  for (const Letter letter : order) {
    const auto found = fused.find(letter);
    to.push_back(found == fused.end() ? arith::constantInt(type, 0) : found->second);
  }
  return make<IndexMap>(Array<VarRef>(std::move(from)), Array<PrimExpr>(std::move(to)));
}

using Neighbours = std::vector<Ref<BlockRealize>> (BlockScope::*)(const Block& block) const;

/// The blocks that lead to the block, or follow from it, with what leads to those, and so on.
void collect(Schedule& schedule, BlockRef block, Neighbours neighbours, std::vector<BlockRef>& found) {
  std::vector<BlockRef> open{block};
  while (!open.empty()) {
    const BlockRef next = open.back();
    open.pop_back();
    const BlockScope scope(*schedule.get(schedule.scopeOf(schedule.pathTo(next))));
    for (const auto& realize : (scope.*neighbours)(*schedule.get(next))) {
      const BlockRef other = schedule.handle(*realize->block);
      if (std::find(found.begin(), found.end(), other) != found.end()) continue;
      found.push_back(other);
      open.push_back(other);
    }
  }
}

void inlineConsumers(Schedule& schedule, BlockRef block) {
  for (bool some = true; some;) {
    some = false;
    std::vector<BlockRef> consumers;
    collect(schedule, block, &BlockScope::consumers, consumers);
    for (const auto inlineBlock : {computeInline, reverseComputeInline}) {
      for (const BlockRef consumer : consumers) some = inlineBlock(schedule, consumer).ok() || some;
    }
  }
}

}  // namespace

std::optional<BlockRef> onlyReduction(Schedule& schedule) {
  std::optional<BlockRef> found;
  for (const BlockRef block : schedule.childBlocks(schedule.root())) {
    bool reduced = false, spatial = false, other = false;
    for (const auto& axis : schedule.get(block)->iterVars) {
      reduced = reduced || axis->iterType == IterType::CommReduce;
      spatial = spatial || axis->iterType == IterType::DataPar;
      other = other || (axis->iterType != IterType::CommReduce && axis->iterType != IterType::DataPar);
    }
    if (other || !spatial || (reduced && found)) return std::nullopt;
    if (reduced) found = block;
  }
  return found;
}

bool isMatmul(const Block& block) { return lettersOf(block).has_value(); }

Result<Unit> normalizeMatmul(Schedule& schedule, BlockRef block) {
  RX_TRY(left, reindex(schedule, block, {Access::Read, 0}));
  RX_TRY(right, reindex(schedule, block, {Access::Read, 1}));
  RX_TRY(result, reindex(schedule, block, {Access::Write, 0}));
  const Ref<Block> main = schedule.get(block);
  const auto letters = lettersOf(*main);
  if (!letters) return refuse("reindex", schedule.name(block), "it is no product of two matrices");
  using enum Letter;
  const Ref<IndexMap> a = fusingMap(*letters, main->reads[0].get(), {S, I, K});
  const Ref<IndexMap> b = fusingMap(*letters, main->reads[1].get(), {S, J, K});
  const Ref<IndexMap> c = fusingMap(*letters, main->writes[0].get(), {S, I, J});
  RX_CHECK(transformLayout(schedule, left, {Access::Write, 0}, *a));
  RX_CHECK(transformLayout(schedule, right, {Access::Write, 0}, *b));
  RX_CHECK(transformLayout(schedule, result, {Access::Read, 0}, *c));
  return transformBlockLayout(schedule, block, *fusingMap(*letters, nullptr, {S, I, J, K}));
}

void inlineProducers(Schedule& schedule, BlockRef block) {
  for (bool some = true; some;) {
    some = false;
    std::vector<BlockRef> producers;
    collect(schedule, block, &BlockScope::producers, producers);
    for (const BlockRef producer : producers) some = computeInline(schedule, producer).ok() || some;
  }
}

Result<Unit> inlineConsumerChain(Schedule& schedule, BlockRef block) {
  auto consumersOf = [&] {
    const BlockScope scope(*schedule.get(schedule.scopeOf(schedule.pathTo(block))));
    return scope.consumers(*schedule.get(block));
  };
  inlineConsumers(schedule, block);
  const BlockScope scope(*schedule.get(schedule.scopeOf(schedule.pathTo(block))));
  for (const auto& consumer : consumersOf()) {
    for (const auto& producer : scope.producers(*consumer->block)) {
      const BlockRef other = schedule.handle(*producer->block);
      if (other == block || !schedule.has(other)) continue;
      inlineProducers(schedule, other);
      RX_CHECK(computeInline(schedule, other));
    }
  }
  inlineConsumers(schedule, block);
  if (!consumersOf().empty()) {
    return refuse("compute_inline", schedule.name(block), "what follows from it can not be inlined");
  }
  return Unit{};
}

}  // namespace rx::schedule
