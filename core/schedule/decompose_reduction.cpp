// decompose_reduction: the init of a reduction as a block of its own before a loop.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "decompose_reduction";

/// A copy of a loop around another body, with variables of its own.
Stmt copiedLoop(const For& loop, Stmt body) {
  const VarRef var = lower::renamed(*loop.loopVar, "_init");
  body = lower::substitute(body, {{loop.loopVar.get(), var}});
  return changed(loop, [&](For& copy) {
    copy.loopVar = var;
    copy.body = std::move(body);
    if (!loop.threadBinding) return;
    const IterVar& thread = *loop.threadBinding;
    copy.threadBinding = make<IterVar>(thread.dom, lower::renamed(*thread.var, ""), thread.iterType, thread.threadTag);
  });
}

/// The block that stores what the reduction begins with. Null where its predicate can not be told.
Ref<BlockRealize> initOf(const BlockRealize& realize, const Str& name, std::span<const Ref<For>> dropped) {
  const Block& block = *realize.block;
  arith::VarMap map;
  std::vector<Ref<IterVar>> axes;
  std::vector<PrimExpr> values;
  for (size_t i = 0; i < block.iterVars.size(); ++i) {
    const IterVar& axis = *block.iterVars[i];
    if (axis.iterType != IterType::DataPar) continue;
    const VarRef var = lower::renamed(*axis.var, "");
    map[axis.var.get()] = var;
    axes.push_back(make<IterVar>(axis.dom, var, axis.iterType, axis.threadTag));
    values.push_back(realize.iterValues[i]);
  }
  const PrimExpr predicate = withoutLoops(realize.predicate, dropped);
  if (!predicate) return nullptr;
  auto* made = new Block();
  const Ref<Block> init(made);
  made->name = name;
  made->annotations = block.annotations;
  made->iterVars = Array<Ref<IterVar>>(std::move(axes));
  made->writes = substituted(block.writes, map);
  made->body = lower::substitute(block.init, map);
  return make<BlockRealize>(Array<PrimExpr>(std::move(values)), predicate, init);
}

/// The block without its init: now it reads what it writes.
Ref<BlockRealize> updateOf(const BlockRealize& realize, const Str& name) {
  const Block& block = *realize.block;
  std::vector<Ref<BufferRegion>> reads;
  for (const auto& write : block.writes) {
    if (!regionOf(block.reads, *write->buffer)) reads.push_back(write);
  }
  reads.insert(reads.end(), block.reads.begin(), block.reads.end());
  const auto update = changed(block, [&](Block& copy) {
    copy.name = name;
    copy.init = nullptr;
    copy.reads = Array<Ref<BufferRegion>>(std::move(reads));
  });
  return make<BlockRealize>(realize.iterValues, realize.predicate, update);
}

}  // namespace

Result<BlockRef> bare::decomposeReduction(Schedule& schedule, BlockRef block, const LoopRef& loop) {
  RX_TRY(path, blockPath(schedule, kName, block));
  const std::string name(schedule.name(block));
  const Ref<BlockRealize> realize = cast<BlockRealize>(path.back());
  const std::vector<Ref<For>> around = loopsInScope(path);
  const auto at = std::find_if(around.begin(), around.end(), [&](const auto& found) { return found->loopVar == loop; });
  if (at == around.end()) return refuse(kName, name, "the loop is not around it");
  const BlockScope scope(*schedule.get(schedule.scopeOf(path)));
  if (const std::string_view why = scope.whyNoReduction(schedule, *realize->block); !why.empty()) {
    return refuse(kName, name, why);
  }
  for (size_t i = 0; i < realize->iterValues.size(); ++i) {
    const bool reduces = realize->block->iterVars[i]->iterType == IterType::CommReduce;
    if (reduces && usesAny(realize->iterValues[i], {around.begin(), at})) {
      return refuse(kName, name, "a loop around the given one walks over an axis that it reduces");
    }
  }
  // Of the loops from the given one inwards, those that tell where the block writes run for the init too.
  std::vector<Ref<For>> kept, dropped;
  for (auto found = at; found != around.end(); ++found) {
    bool needed = false;
    for (size_t i = 0; i < realize->iterValues.size(); ++i) {
      needed = needed || (realize->block->iterVars[i]->iterType == IterType::DataPar &&
                          lower::uses(realize->iterValues[i], (*found)->loopVar.get()));
    }
    (needed ? kept : dropped).push_back(*found);
  }
  const Str initName = schedule.freshName(name + "_init");
  const Ref<BlockRealize> init = initOf(*realize, initName, dropped);
  if (!init) return refuse(kName, name, "its predicate is not made of comparisons");
  Stmt before = init;
  for (size_t i = kept.size(); i-- > 0;) before = copiedLoop(*kept[i], before);
  const Str updateName = schedule.freshName(name + "_update");
  const Stmt behind = withReplaced(*at, realize, updateOf(*realize, updateName));
  schedule.replace(*at, lower::inOrder(std::array{before, behind}));
  schedule.rename(block, updateName);
  schedule.moved(block);
  return schedule.handle(*init->block);
}

}  // namespace rx::schedule
