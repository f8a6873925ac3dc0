// blockize: the steps of a loop, and of all loops in it, as one step of a block around them.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/access_simplifier.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "blockize";

std::vector<arith::IterRange> rangesOf(std::span<const Ref<For>> loops) {
  std::vector<arith::IterRange> ranges;
  for (const auto& loop : loops) ranges.push_back({loop->loopVar, loop->min, loop->extent});
  return ranges;
}

/// What an axis is: outer * steps + inner, where inner runs over `steps` values in the inner loops.
struct Division {
  PrimExpr outer, inner, steps;
};

/// The value of every axis in two parts; empty where one of them is none.
std::vector<Division> divided(const BlockRealize& realize, std::span<const Ref<For>> outside,
                              std::span<const Ref<For>> inside, const PrimExpr& predicate) {
  arith::Analyzer analyzer;
  for (std::span loops : {outside, inside}) {
    for (const auto& loop : loops) analyzer.bind(loop->loopVar, Range(loop->min, loop->extent));
  }
  arith::VarMap begin;
  for (const auto& loop : outside) begin[loop->loopVar.get()] = loop->min;
  arith::VarMap whole = begin;
  for (const auto& loop : inside) whole[loop->loopVar.get()] = loop->min;
  std::vector<PrimExpr> inner;
  for (const PrimExpr& value : realize.iterValues) {
    inner.push_back(analyzer.simplify(arith::sub(arith::substitute(value, begin), arith::substitute(value, whole))));
  }
  const auto ranges = rangesOf(inside);
  const auto sums = arith::detectIterMap({inner, ranges, predicate, arith::IterMapLevel::Surjective, false}, analyzer);
  if (!sums) return {};
  std::vector<Division> made;
  for (size_t i = 0; i < sums->size(); ++i) {
    const arith::IterSum& sum = (*sums)[i];
    const DataType type = realize.iterValues[i]->dtype;
    const bool moves = !sum.args.empty();
    if (!arith::isZero(sum.base) || (moves && !arith::isOne(sum.args.front().scale))) return {};
    const PrimExpr steps = arith::cast(type, moves ? sum.args.front().extent : intImm(1));
    const PrimExpr rest = analyzer.simplify(arith::sub(realize.iterValues[i], inner[i]));
    const PrimExpr outer = analyzer.simplify(arith::floorDiv(rest, steps));
    if (usesAny(outer, inside) || !analyzer.canProveEqual(arith::mul(outer, steps), rest)) return {};
    made.push_back({outer, inner[i], steps});
  }
  return made;
}

/// How many times so many steps make the extent; nothing where that is no whole number, or is not known to be one.
std::optional<PrimExpr> tilesOf(const PrimExpr& extent, const PrimExpr& steps) {
  arith::Analyzer analyzer;
  if (analyzer.canProveEqual(extent, steps)) return arith::constantInt(extent->dtype, 1);
  if (!asInt(steps)) return std::nullopt;
  const PrimExpr tiles = analyzer.simplify(arith::floorDiv(extent, steps));
  return analyzer.canProveEqual(arith::mul(tiles, steps), extent) ? std::optional(tiles) : std::nullopt;
}

/// The axes of one of the two blocks while it is made.
struct Axes {
  std::vector<Ref<IterVar>> vars;
  std::vector<PrimExpr> values;

  VarRef add(const IterVar& of, std::string_view suffix, const PrimExpr& steps, const PrimExpr& value) {
    const VarRef var = lower::renamed(*of.var, suffix);
    const auto range = make<Range>(arith::constantInt(var->dtype, 0), arith::cast(var->dtype, steps));
    vars.push_back(make<IterVar>(range, var, of.iterType, of.threadTag));
    values.push_back(arith::cast(var->dtype, value));
    return var;
  }
  bool reduce() const {
    return std::any_of(vars.begin(), vars.end(),
                       [](const auto& axis) { return axis->iterType == IterType::CommReduce; });
  }
};

/// The axes of both blocks, and what those of the one before are by them.
struct Draft {
  Axes outer, inner;
  arith::VarMap places;
};
/// Nothing where an axis can not be told in whole tiles.
std::optional<Draft> draftOf(const Block& block, std::span<const Division> divisions) {
  Draft draft;
  for (size_t i = 0; i < divisions.size(); ++i) {
    const IterVar& axis = *block.iterVars[i];
    const auto& [first, second, steps] = divisions[i];
    const auto tiles = tilesOf(axis.dom->extent, steps);
    if (!tiles) return std::nullopt;
    const VarRef tile = draft.outer.add(axis, "_o", *tiles, first);
    PrimExpr place = tile;
    if (!arith::isOne(steps)) {
      const VarRef within = draft.inner.add(axis, "_i", steps, second);
      place = arith::isOne(*tiles) ? PrimExpr(within) : arith::add(arith::mul(tile, steps), within);
    }
    draft.places[axis.var.get()] = place;
  }
  return draft;
}

/// One step of the outer block: the block as it was, over the inner axes, and without an init. Where the outer block
/// sums, it reads what it writes.
Ref<Block> stepOf(const Block& block, const Draft& draft) {
  return changed(block, [&](Block& copy) {
    copy.iterVars = Array<Ref<IterVar>>(draft.inner.vars);
    copy.init = nullptr;
    if (!block.init || !draft.outer.reduce()) return;
    std::vector<Ref<BufferRegion>> reads = block.writes.vector();
    reads.insert(reads.end(), block.reads.begin(), block.reads.end());
    copy.reads = Array<Ref<BufferRegion>>(std::move(reads));
  });
}

/// What the block touches in all steps of the inner axes.
Array<Ref<BufferRegion>> widened(const Array<Ref<BufferRegion>>& regions, const Axes& inner) {
  arith::Domains domains;
  for (const auto& axis : inner.vars) domains[axis->var.get()] = arith::IntSet::fromRange(*axis->dom);
  std::vector<Ref<BufferRegion>> made;
  for (const auto& region : regions) {
    std::vector<Ref<Range>> ranges;
    for (size_t i = 0; i < region->region.size(); ++i) {
      const PrimExpr& size = region->buffer->shape[i];
      ranges.push_back(arith::cover(arith::evalSet(*region->region[i], domains),
                                    make<Range>(arith::constantInt(size->dtype, 0), size)));
    }
    made.push_back(make<BufferRegion>(region->buffer, Array<Ref<Range>>(std::move(ranges))));
  }
  return Array<Ref<BufferRegion>>(std::move(made));
}

/// The comparisons of a predicate that speak of the inner loops, and those that do not; nothing where one speaks of the
/// outer loops too.
struct Predicates {
  PrimExpr outer, inner;
};
std::optional<Predicates> dividedPredicate(const PrimExpr& predicate, std::span<const Ref<For>> outside,
                                           std::span<const Ref<For>> inside) {
  Predicates made{boolImm(true), boolImm(true)};
  for (PrimExpr rest = predicate; !arith::isOne(rest);) {
    const auto* both = as<And>(rest);
    const PrimExpr last = both ? both->b : rest;
    const bool within = usesAny(last, inside);
    if (within && usesAny(last, outside)) return std::nullopt;
    PrimExpr& part = within ? made.inner : made.outer;
    part = arith::logicalAnd(part, last);
    rest = both ? both->a : boolImm(true);
  }
  return made;
}

/// What the sums of the outer block begin with: a block of its own in those of the inner loops that tell where. Null
/// where the predicate does not say by those loops alone which places there are.
Stmt initOf(const Block& block, const Axes& inner, const PrimExpr& predicate, std::span<const Ref<For>> loops,
            const Str& name) {
  Axes axes;
  arith::VarMap map;
  for (size_t i = 0; i < inner.vars.size(); ++i) {
    const IterVar& axis = *inner.vars[i];
    if (axis.iterType != IterType::DataPar) continue;
    map[axis.var.get()] = axes.add(axis, "_init", axis.dom->extent, inner.values[i]);
  }
  std::vector<Ref<For>> kept, dropped;
  for (const auto& loop : loops) {
    const bool tells = std::any_of(axes.values.begin(), axes.values.end(),
                                   [&](const PrimExpr& value) { return lower::uses(value, loop->loopVar.get()); });
    (tells ? kept : dropped).push_back(loop);
  }
  const auto parts = dividedPredicate(predicate, kept, dropped);
  if (!parts) return nullptr;
  Block made;
  made.name = name;
  made.iterVars = Array<Ref<IterVar>>(axes.vars);
  made.writes = substituted(block.writes, map);
  made.body = lower::substitute(block.init, map);
  Stmt body = make<BlockRealize>(Array<PrimExpr>(axes.values), parts->outer, make<Block>(made));
  for (size_t i = kept.size(); i-- > 0;) {
    const VarRef var = lower::renamed(*kept[i]->loopVar, "");
    body = lower::substitute(body, {{kept[i]->loopVar.get(), var}});
    body = changed(*kept[i], [&](For& copy) {
      copy.loopVar = var;
      copy.body = body;
    });
  }
  return body;
}

/// Why the loops can not be taken together; empty where they can.
std::string_view whyNot(const Schedule& schedule, const BlockRealize& realize, std::span<const Ref<For>> loops) {
  const auto begins = [](const auto& loop) { return arith::isZero(loop->min) && !loop->step; };
  if (!std::all_of(loops.begin(), loops.end(), begins)) return "a loop around its block does not count from 0 by 1";
  if (!schedule.isAffine(*realize.block))
    return "the values of its block's axes are no independent pieces of the loops";
  const auto& axes = realize.block->iterVars;
  if (!std::all_of(axes.begin(), axes.end(), [](const auto& axis) { return arith::isZero(axis->dom->min); }))
    return "an axis of its block does not begin with 0";
  return {};
}

}  // namespace

Result<BlockRef> bare::blockize(Schedule& schedule, const LoopRef& loop) {
  RX_TRY(outerPath, loopPath(schedule, kName, loop));
  const auto no = [&](std::string_view why) { return refuse(kName, loop->name.view(), why); };
  const lower::LoopNest nest = lower::loopNest(outerPath.back());
  const auto realize = refAs<BlockRealize>(nest.body);
  if (!realize) return no("it holds more than one block, or something between it and its block");
  const Block& old = *realize->block;
  const std::vector<Ref<For>> around = loopsInScope(schedule.pathTo(schedule.handle(old)));
  if (const auto why = whyNot(schedule, *realize, around); !why.empty()) return no(why);
  const std::span outside(around.begin(), around.end() - static_cast<std::ptrdiff_t>(nest.loops.size()));
  const auto predicates = dividedPredicate(realize->predicate, outside, nest.loops);
  if (!predicates) return no("a predicate of its block speaks of loops around it and in it");
  const auto divisions = divided(*realize, outside, nest.loops, predicates->inner);
  if (divisions.size() != old.iterVars.size())
    return no("an axis of its block is not made of whole tiles that the loop and those in it run over");

  const auto draft = draftOf(old, divisions);
  if (!draft) return no("an axis of its block is no multiple of what one step would take");
  const Ref<Block> bared = changed(old, [](Block& copy) { copy.iterVars = {}; });
  const Ref<Block> moved = cast<Block>(lower::substitute(bared, draft->places));
  const Str name = schedule.freshName(old.name.string() + "_o");
  Stmt init;
  if (moved->init) {
    init = initOf(*moved, draft->inner, predicates->inner, nest.loops, schedule.freshName(old.name.string() + "_init"));
    if (!init) return no("a predicate of its block speaks of loops that reduce and of others");
  }
  const Ref<Block> step = stepOf(*moved, *draft);
  Block whole;
  whole.name = name;
  whole.iterVars = Array<Ref<IterVar>>(draft->outer.vars);
  whole.reads = widened(moved->reads, draft->inner);
  whole.writes = widened(moved->writes, draft->inner);
  whole.init = init;
  whole.body =
      lower::inLoops(nest.loops, make<BlockRealize>(Array<PrimExpr>(draft->inner.values), predicates->inner, step));
  const Stmt made = withSimpleAccesses(*schedule.function(), make<Block>(whole));
  schedule.replace(outerPath.back(),
                   make<BlockRealize>(Array<PrimExpr>(draft->outer.values), predicates->outer, cast<Block>(made)));
  schedule.moved(schedule.handle(*step));
  for (const auto& below : init ? blocksBelow(init) : std::vector<Ref<BlockRealize>>()) schedule.handle(*below->block);
  return schedule.handle(whole);
}

}  // namespace rx::schedule
