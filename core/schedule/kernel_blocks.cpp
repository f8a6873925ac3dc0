#include "core/schedule/kernel_blocks.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

char kindOf(IterType type) { return type == IterType::DataPar ? 'S' : type == IterType::CommReduce ? 'R' : 'O'; }

/// The blocks without blocks in them.
std::vector<BlockRef> leaves(Schedule& schedule) {
  std::vector<BlockRef> found, open{schedule.root()};
  while (!open.empty()) {
    const BlockRef block = open.back();
    open.pop_back();
    const std::vector<BlockRef> inner = schedule.childBlocks(block);
    if (inner.empty()) found.push_back(block);
    open.insert(open.end(), inner.rbegin(), inner.rend());
  }
  return found;
}

bool isPlain(const BlockRealize& realize, std::span<const Ref<For>> loops) {
  if (loops.empty()) return true;
  if (loops.size() != realize.iterValues.size()) return false;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (realize.iterValues[i] != loops[i]->loopVar || !arith::isZero(loops[i]->min)) return false;
  }
  return true;
}

/// Leaves out the axes of one step; a block that then writes along none has one such axis.
Ref<IndexMap> withoutUnits(const Block& block) {
  std::vector<VarRef> from;
  std::vector<PrimExpr> to;
  bool spatial = false;
  for (const auto& axis : block.iterVars) {
    from.push_back(lower::renamed(*axis->var, ""));
    if (arith::isOne(axis->dom->extent)) continue;
    to.push_back(from.back());
    spatial = spatial || axis->iterType == IterType::DataPar;
  }
  if (!spatial) to.insert(to.begin(), intImm(0));
  return make<IndexMap>(Array<VarRef>(std::move(from)), Array<PrimExpr>(std::move(to)));
}

}  // namespace

std::string BlockInfo::kinds() const {
  std::string made;
  for (const AxisInfo& axis : axes) made += axis.kind;
  return made;
}

std::optional<std::vector<BlockInfo>> normalizedBlocks(Schedule& schedule) {
  const std::vector<BlockRef> blocks = leaves(schedule);
  for (const BlockRef block : blocks) {
    const Path path = schedule.pathTo(block);
    if (!isPlain(*as<BlockRealize>(path.back()), loopsInScope(path))) return std::nullopt;
  }
  std::vector<BlockInfo> made;
  for (const BlockRef block : blocks) {
    // A block that bears no other axes keeps its own.
    (void)transformBlockLayout(schedule, block, *withoutUnits(*schedule.get(block)));
    const Path path = schedule.pathTo(block);
    const std::vector<Ref<For>> loops = loopsInScope(path);
    const auto& realize = *as<BlockRealize>(path.back());
    BlockInfo info{block, {}, false};
    for (size_t i = 0; i < std::min(loops.size(), realize.block->iterVars.size()); ++i) {
      const IterVar& axis = *realize.block->iterVars[i];
      info.axes.push_back({kindOf(axis.iterType), axis.var, axis.dom->extent, loops[i]->loopVar});
    }
    const BlockScope scope(*schedule.get(schedule.root()));
    info.isReduction = scope.whyNoReduction(schedule, *realize.block).empty();
    made.push_back(std::move(info));
  }
  return made;
}

std::vector<BlockInfo> tryInline(Schedule& schedule, std::vector<BlockInfo> blocks) {
  for (bool some = true; some;) {
    some = false;
    for (const auto inlineBlock : {computeInline, reverseComputeInline}) {
      const auto gone = std::find_if(blocks.begin(), blocks.end(),
                                     [&](const BlockInfo& info) { return inlineBlock(schedule, info.block).ok(); });
      if (gone == blocks.end()) continue;
      blocks.erase(gone);
      some = true;
      break;
    }
  }
  return blocks;
}

std::vector<BlockInfo> tryInlineContiguousSpatial(Schedule& schedule, const std::vector<BlockInfo>& blocks) {
  std::vector<BlockInfo> made, run;
  auto finish = [&] {
    for (BlockInfo& info : tryInline(schedule, std::move(run))) made.push_back(std::move(info));
    run.clear();
  };
  for (const BlockInfo& info : blocks) {
    if (info.isInjective()) {
      run.push_back(info);
      continue;
    }
    finish();
    made.push_back(info);
  }
  finish();
  return made;
}

}  // namespace rx::schedule
