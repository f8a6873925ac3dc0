// rfactor: a reduction in two steps. What the steps of one loop give lies in a buffer with one more axis; then that
// axis is reduced.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/reducers.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "rfactor";

bool walksOver(const For& loop, const BlockRealize& realize, IterType type) {
  for (size_t i = 0; i < realize.iterValues.size(); ++i) {
    const bool reduced = realize.block->iterVars[i]->iterType == IterType::CommReduce;
    if (reduced == (type == IterType::CommReduce) && lower::uses(realize.iterValues[i], loop.loopVar.get())) {
      return true;
    }
  }
  return false;
}

/// Why the loops do not allow it; empty where they do.
std::string_view whyNot(const BlockRealize& realize, std::span<const Ref<For>> loops, const For& factored) {
  if (blocksBelow(loops.front()).front().get() != &realize) return "other blocks stand before it in its outermost loop";
  bool reducing = false;
  for (const auto& loop : loops) {
    const bool data = walksOver(*loop, realize, IterType::DataPar);
    const bool reduced = walksOver(*loop, realize, IterType::CommReduce);
    if (data && reduced) return "a loop walks over an axis that it reduces and over another one";
    if (data && loop.get() == &factored) return "the loop walks over an axis that it does not reduce";
    if (reduced && !reducing && blocksBelow(loop).size() != 1) return "other blocks share a loop that reduces";
    if (!data && !reduced && reducing && !arith::isOne(loop->extent)) {
      return "a loop inside of those that reduce walks over no axis";
    }
    reducing = reducing || reduced;
  }
  return {};
}

/// One of the two blocks while it is made.
struct Draft {
  std::vector<Ref<IterVar>> axes;
  std::vector<PrimExpr> values;
  arith::VarMap map;  ///< axes of the old block

  VarRef add(const For& loop, IterType type) {
    const VarRef var = make<Var>(Str(fmt::format("v{}", loop.loopVar->name.view())), loop.loopVar->dtype);
    axes.push_back(make<IterVar>(make<Range>(loop.min, loop.extent), var, type));
    values.push_back(loop.loopVar);
    return var;
  }
};

class Factoring {
 public:
  Factoring(Ref<BlockRealize> realize, std::span<const Ref<For>> loops, Ref<For> loop, lower::BlockReduction reduction,
            size_t factorAxis)
      : realize_(std::move(realize)),
        loops_(loops),
        loop_(std::move(loop)),
        reduction_(std::move(reduction)),
        axis_(factorAxis) {
    for (const auto& update : reduction_.updates) {
      std::vector<PrimExpr> shape = update->buffer->shape.vector();
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_), loop_->extent);
      partial_.push_back(reshaped(*update->buffer, Array<PrimExpr>(std::move(shape)), ".rf"));
    }
  }

  const std::vector<BufferRef>& partial() const { return partial_; }

  /// The block that reduces into the new buffers, in copies of the loops.
  Stmt first(const Str& name) {
    Draft draft;
    factored_ = draft.add(*loop_, IterType::DataPar);
    arith::VarMap axisOfLoop{{loop_->loopVar.get(), factored_}};
    const Block& old = *realize_->block;
    for (size_t i = 0; i < old.iterVars.size(); ++i) {
      const PrimExpr& value = realize_->iterValues[i];
      if (old.iterVars[i]->iterType == IterType::DataPar || !lower::uses(value, loop_->loopVar.get())) {
        draft.axes.push_back(old.iterVars[i]);
        draft.values.push_back(value);
        continue;
      }
      for (const VarRef& var : arith::freeVars(value)) {
        const auto loop = std::find_if(loops_.begin(), loops_.end(), [&](const auto& l) { return l->loopVar == var; });
        if (loop == loops_.end() || axisOfLoop.contains(var.get())) continue;
        axisOfLoop[var.get()] = draft.add(**loop, IterType::CommReduce);
      }
      draft.map[old.iterVars[i]->var.get()] = arith::substitute(value, axisOfLoop);
    }
    const std::vector<PrimExpr> place = factoredPlace();
    std::vector<Ref<BufferRegion>> writes;
    for (const BufferRef& buffer : partial_) writes.push_back(pointRegion(buffer, place));
    const auto block = blockOf(draft, name, partial_, place, reduction_.operands);
    auto made = changed(*block, [&](Block& copy) {
      copy.reads = substituted(old.reads, draft.map);
      copy.writes = substituted(Array<Ref<BufferRegion>>(std::move(writes)), draft.map);
    });
    Stmt body = make<BlockRealize>(Array<PrimExpr>(std::move(draft.values)), realize_->predicate, made);
    for (size_t i = loops_.size(); i-- > 0;) {
      const VarRef var = lower::renamed(*loops_[i]->loopVar, "");
      body = lower::substitute(body, {{loops_[i]->loopVar.get(), var}});
      body = changed(*loops_[i], [&](For& copy) {
        copy.loopVar = var;
        copy.body = body;
      });
    }
    return body;
  }

  /// The block that reduces what the first one gave.
  Ref<BlockRealize> last(const Str& name) {
    Draft draft;
    draft.map[factored_.get()] = draft.add(*loop_, IterType::CommReduce);
    const Block& old = *realize_->block;
    for (size_t i = 0; i < old.iterVars.size(); ++i) {
      const IterVar& axis = *old.iterVars[i];
      if (axis.iterType != IterType::DataPar) continue;
      const VarRef var = lower::renamed(*axis.var, "");
      draft.axes.push_back(make<IterVar>(axis.dom, var, IterType::DataPar));
      draft.values.push_back(realize_->iterValues[i]);
      draft.map[axis.var.get()] = var;
    }
    std::vector<BufferRef> buffers;
    std::vector<PrimExpr> operands;
    std::vector<Ref<BufferRegion>> reads, writes;
    const std::vector<PrimExpr> from = factoredPlace(), to = reduction_.updates[0]->indices.vector();
    for (size_t i = 0; i < partial_.size(); ++i) {
      buffers.push_back(reduction_.updates[i]->buffer);
      operands.push_back(make<BufferLoad>(partial_[i], Array<PrimExpr>(from), partial_[i]->dtype));
      reads.push_back(pointRegion(partial_[i], from));
      writes.push_back(pointRegion(buffers.back(), to));
    }
    const auto block = blockOf(draft, name, buffers, to, operands);
    const auto made = changed(*block, [&](Block& copy) {
      copy.reads = substituted(Array<Ref<BufferRegion>>(std::move(reads)), draft.map);
      copy.writes = substituted(Array<Ref<BufferRegion>>(std::move(writes)), draft.map);
    });
    // Places that are none stay none; which steps there are, the first block asked.
    std::vector<Ref<For>> reducing;
    for (const auto& loop : loops_) {
      if (walksOver(*loop, *realize_, IterType::CommReduce)) reducing.push_back(loop);
    }
    const PrimExpr predicate = withoutLoops(realize_->predicate, reducing);
    return make<BlockRealize>(Array<PrimExpr>(std::move(draft.values)), predicate, made);
  }

 private:
  std::vector<PrimExpr> factoredPlace() const {
    std::vector<PrimExpr> place = reduction_.updates[0]->indices.vector();
    place.insert(place.begin() + static_cast<std::ptrdiff_t>(axis_), factored_);
    return place;
  }

  /// A block without its regions that combines the operands into the buffers at one place.
  Ref<Block> blockOf(const Draft& draft, const Str& name, const std::vector<BufferRef>& buffers,
                     const std::vector<PrimExpr>& place, const std::vector<PrimExpr>& operands) const {
    const bool reduces = std::any_of(draft.axes.begin(), draft.axes.end(),
                                     [](const auto& axis) { return axis->iterType == IterType::CommReduce; });
    const Array<PrimExpr> indices(place);
    std::vector<Stmt> inits, updates, stores;
    std::vector<PrimExpr> known, values = operands;
    for (const BufferRef& buffer : buffers) known.push_back(make<BufferLoad>(buffer, indices, buffer->dtype));
    if (reduces) values = lower::combined(*reduction_.reducer, known, operands);
    for (size_t i = 0; i < buffers.size(); ++i) {
      inits.push_back(make<BufferStore>(buffers[i], reduction_.reducer->identity[i], indices));
      PrimExpr value = values[i];
      if (reduces && buffers.size() > 1) {  // none of them may see what another has stored
        const VarRef var = make<Var>(Str(fmt::format("v_{}", buffers[i]->name.view())), value->dtype);
        updates.push_back(make<Bind>(var, value));
        value = var;
      }
      stores.push_back(make<BufferStore>(buffers[i], value, indices));
    }
    updates.insert(updates.end(), stores.begin(), stores.end());
    auto* block = new Block();
    const Ref<Block> made(block);
    block->name = name;
    block->annotations = realize_->block->annotations;
    block->iterVars = Array<Ref<IterVar>>(draft.axes);
    if (reduces) block->init = lower::substitute(seq(inits), draft.map);
    block->body = lower::substitute(seq(updates), draft.map);
    return made;
  }

  const Ref<BlockRealize> realize_;
  const std::span<const Ref<For>> loops_;
  const Ref<For> loop_;
  const lower::BlockReduction reduction_;
  const size_t axis_;
  std::vector<BufferRef> partial_;
  VarRef factored_;  ///< the axis of the first block for the loop
};

/// The outermost loop without those that reduce, `loop` excepted, around another block.
Stmt writeBack(std::span<const Ref<For>> loops, const BlockRealize& old, const For& loop, const Stmt& last) {
  Stmt made = withReplaced(loops.back()->body, Stmt(&old), last);
  for (size_t i = loops.size(); i-- > 0;) {
    const bool kept = loops[i].get() == &loop || !walksOver(*loops[i], old, IterType::CommReduce);
    const Stmt around = kept ? Stmt(lower::withLoopBody(*loops[i], made)) : made;
    made = i == 0 ? around : withReplaced(loops[i - 1]->body, loops[i], around);
  }
  return made;
}

}  // namespace

Result<BlockRef> bare::rfactor(Schedule& schedule, const LoopRef& loop, int64_t factorAxis) {
  RX_TRY(around, loopPath(schedule, kName, loop));
  const auto found = cast<For>(around.back());
  const std::vector<Ref<BlockRealize>> blocks = blocksBelow(found);
  if (blocks.size() != 1) return refuse(kName, loop->name.view(), "it does not hold one block");
  if (found->forKind != ForKind::Serial) return refuse(kName, loop->name.view(), "its steps do not follow one another");
  const Ref<BlockRealize> realize = blocks.front();
  const std::string name = realize->block->name.string();
  const BlockRef block = schedule.handle(*realize->block);
  const Path path = schedule.pathTo(block);
  const std::vector<Ref<For>> loops = loopsInScope(path);
  const BlockScope scope(*schedule.get(schedule.scopeOf(path)));
  if (const std::string_view why = scope.whyNoPipeline(); !why.empty()) return refuse(kName, name, why);
  if (const std::string_view why = scope.whyNoReduction(schedule, *realize->block); !why.empty()) {
    return refuse(kName, name, why);
  }
  if (const std::string_view why = whyNot(*realize, loops, *found); !why.empty()) return refuse(kName, name, why);
  if (!withoutLoops(realize->predicate, {})) return refuse(kName, name, "its predicate is not made of comparisons");
  auto reduction = lower::reductionOf(*realize->block);
  if (!reduction) return refuse(kName, name, "how it reduces is not known to be commutative");
  const auto rank = static_cast<int64_t>(reduction->updates[0]->buffer->shape.size());
  if (factorAxis < -(rank + 1) || factorAxis > rank) return refuse(kName, name, "the buffer has no such axis");
  if (factorAxis < 0) factorAxis += rank + 1;

  Factoring factoring(realize, loops, found, std::move(*reduction), static_cast<size_t>(factorAxis));
  const Str firstName = schedule.freshName(name + "_rf");
  const Stmt first = factoring.first(firstName);
  const Stmt last = writeBack(loops, *realize, *found, factoring.last(realize->block->name));
  const Ref<Block> root = schedule.get(schedule.scopeOf(path));
  Ref<Block> made = cast<Block>(withReplaced(root, loops.front(), lower::inOrder(std::array{first, last})));
  for (const BufferRef& buffer : factoring.partial()) made = allocating(*made, buffer);
  schedule.replace(root, made);
  RX_TRY(firstBlock, schedule.block(firstName.view()));
  schedule.markAffine(firstBlock);
  schedule.markAffine(block);
  return firstBlock;
}

}  // namespace rx::schedule
