// transform_block_layout: other axes for a block, and loops over them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/analysis/index_map_inverse.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"
#include "core/schedule/access_simplifier.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/index_map.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "transform_block_layout";

/// The kind of an axis that is made of others: theirs, where they are of one kind.
std::optional<IterType> typeOf(const PrimExpr& index, const Block& block) {
  std::optional<IterType> type;
  for (const VarRef& var : arith::freeVars(index)) {
    const auto axis = std::find_if(block.iterVars.begin(), block.iterVars.end(),
                                   [&](const auto& candidate) { return candidate->var == var; });
    if (axis == block.iterVars.end()) continue;
    if (type && *type != (*axis)->iterType) return std::nullopt;
    type = (*axis)->iterType;
  }
  if (type && *type != IterType::DataPar && *type != IterType::CommReduce) return std::nullopt;
  return type ? type : IterType::DataPar;
}

/// Why the loops and the axes are not one and the same, in order; empty where they are.
std::string_view whyNotPlain(const BlockRealize& realize, std::span<const Ref<For>> loops) {
  if (loops.size() != realize.iterValues.size()) return "it has not as many axes as loops around it";
  for (size_t i = 0; i < loops.size(); ++i) {
    if (realize.iterValues[i] != loops[i]->loopVar) return "its axes are not the loops around it";
    if (!arith::isZero(loops[i]->min)) return "a loop around it does not begin with 0";
  }
  if (!loops.empty() && blocksBelow(loops.front()).size() != 1) return "other blocks share its loops";
  return {};
}

}  // namespace

Result<Unit> bare::transformBlockLayout(Schedule& schedule, BlockRef block, const IndexMap& given) {
  RX_TRY(path, blockPath(schedule, kName, block));
  const std::string_view name = schedule.name(block);
  const Ref<BlockRealize> realize = cast<BlockRealize>(path.back());
  const Block& old = *realize->block;
  const std::vector<Ref<For>> loops = loopsInScope(path);
  if (const std::string_view why = whyNotPlain(*realize, loops); !why.empty()) return refuse(kName, name, why);
  if (given.initialIndices.size() != old.iterVars.size()) {
    return refuse(
        kName, name,
        fmt::format("the map takes {} indices, and it has {} axes", given.initialIndices.size(), old.iterVars.size()));
  }
  if (loops.empty() && !given.finalIndices.empty()) return refuse(kName, name, "it has no loops");
  arith::Canon canon;
  arith::Analyzer analyzer;
  std::vector<PrimExpr> axes, extents;
  for (const auto& axis : old.iterVars) {
    if (!arith::isZero(axis->dom->min)) return refuse(kName, name, "an axis does not begin with 0");
    axes.push_back(axis->var);
    extents.push_back(axis->dom->extent);
  }
  const Ref<IndexMap> ofType = overTypes(given, axes);
  const IndexMap& map = *ofType;
  const std::vector<PrimExpr> places = mapIndices(map, axes, canon);
  const auto sizes = mapShape(map, extents, canon);
  const auto inverse = analysis::inverseOf(map, extents, analyzer);
  if (!sizes || !inverse || inverse->padded) return refuse(kName, name, "the map can not be inverted");

  std::vector<Ref<IterVar>> made;
  std::vector<VarRef> loopVars;
  std::vector<PrimExpr> vars, values;
  for (size_t i = 0; i < places.size(); ++i) {
    const DataType type = places[i]->dtype;
    const auto iterType = arith::isOne((*sizes)[i]) ? IterType::DataPar : typeOf(places[i], old);
    if (!iterType) return refuse(kName, name, "an axis would be neither data-parallel nor reduced");
    const VarRef var = make<Var>(Str(fmt::format("v{}", i)), type);
    const auto range = make<Range>(arith::constantInt(type, 0), arith::cast(type, (*sizes)[i]));
    made.push_back(make<IterVar>(range, var, *iterType));
    vars.push_back(var);
    loopVars.push_back(make<Var>(Str(fmt::format("ax{}", i)), type));
    values.push_back(loopVars.back());
  }
  const std::vector<PrimExpr> sources = mapIndices(*inverse->map, vars, canon);
  arith::VarMap replaced;
  for (size_t i = 0; i < sources.size(); ++i) replaced[old.iterVars[i]->var.get()] = sources[i];
  const Ref<Block> other = changed(old, [&](Block& copy) { copy.iterVars = {}; });
  const Ref<Block> moved = changed(*cast<Block>(lower::substitute(other, replaced)),
                                   [&](Block& copy) { copy.iterVars = Array<Ref<IterVar>>(std::move(made)); });
  Stmt body = make<BlockRealize>(Array<PrimExpr>(std::move(values)), realize->predicate,
                                 cast<Block>(withSimpleAccesses(*schedule.function(), moved)));
  for (size_t i = loopVars.size(); i-- > 0;) {
    body = lower::loopOver(loopVars[i], moved->iterVars[i]->dom->extent, ForKind::Serial, body);
  }
  schedule.replace(loops.empty() ? Stmt(realize) : Stmt(loops.front()), body);
  return Unit{};
}

}  // namespace rx::schedule
