#include "core/lower/loop_bindings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/arith/int_set.h"
#include "core/arith/iter_map.h"
#include "core/ir/all_nodes.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Values of block axes in the shortest form that the loops around allow.
class AxisSimplifier : public Rewriter {
 public:
  AxisSimplifier(std::span<const Ref<For>> around, bool dropUnitIters) : dropUnitIters_(dropUnitIters) {
    for (const Ref<For>& loop : around) take(*loop);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) {
      take(*loop);
      Stmt made = parts(statement);
      iters_.pop_back();
      return made;
    }
    const auto* realize = as<BlockRealize>(statement);
    if (!realize || realize->iterValues.empty()) return parts(statement);
    auto* copy = new BlockRealize(*realize);
    const Stmt made(copy);
    copy->iterValues = Array<PrimExpr>(arith::simplifyIndices(
        {realize->iterValues.span(), iters_, realize->predicate, arith::IterMapLevel::Surjective, dropUnitIters_},
        analyzer_));
    return made;
  }

 private:
  void take(const For& loop) { iters_.push_back({loop.loopVar, loop.min, loop.extent}); }

  std::vector<arith::IterRange> iters_;
  arith::Analyzer analyzer_;
  const bool dropUnitIters_;
};

/// Blocks that run under one more condition; those inside of them follow.
class Guard : public Rewriter {
 public:
  explicit Guard(const PrimExpr& condition) : condition_(condition) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* realize = as<BlockRealize>(statement);
    if (!realize) return parts(statement);
    auto* copy = new BlockRealize(*realize);
    copy->predicate = arith::logicalAnd(realize->predicate, condition_);
    return Stmt(copy);
  }

 private:
  const PrimExpr& condition_;
};

}  // namespace

Ref<For> fusedLoop(std::span<const Ref<For>> loops, std::span<const Ref<For>> around, UnitIters units) {
  std::string suffix;
  int bits = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (i > 0) suffix += fmt::format("_{}", loops[i]->loopVar->name.view());
    bits = std::max(bits, static_cast<int>(loops[i]->loopVar->dtype.bits));
  }
  const DataType type = DataType::Int(bits);
  const VarRef all = make<Var>(Str(fmt::format("{}{}_fused", loops[0]->loopVar->name.view(), suffix)), type);
  arith::Canon canon;
  arith::VarMap map;
  PrimExpr lower = arith::constantInt(type, 1), extent = lower;
  for (size_t i = loops.size(); i-- > 0;) {
    const For& loop = *loops[i];
    const PrimExpr next = canon.linear(arith::mul(loop.extent, lower));
    PrimExpr value = i > 0 ? arith::floorDiv(arith::floorMod(all, next), lower) : arith::floorDiv(all, lower);
    if (arith::isOne(loop.extent)) value = arith::constantInt(loop.loopVar->dtype, 0);
    map[loop.loopVar.get()] = value;
    lower = next;
  }
  for (const Ref<For>& loop : loops) extent = arith::mul(extent, loop->extent);
  const Stmt body = substitute(loops.back()->body, map);
  const Stmt fused = loopOver(all, canon.simplify(extent), ForKind::Serial, body);
  return cast<For>(AxisSimplifier(around, units == UnitIters::Drop).rewrite(fused));
}

LoopNest splitLoop(const For& loop, std::span<const PrimExpr> factors, std::span<const Ref<For>> around,
                   UnitIters units) {
  DataType type = loop.loopVar->dtype;
  for (const PrimExpr& factor : factors) {
    if (factor && factor->dtype.bits > type.bits && !isa<IntImm>(factor)) type = factor->dtype;
  }
  PrimExpr known = arith::constantInt(type, 1);
  for (const PrimExpr& factor : factors) {
    if (factor) known = arith::mul(known, arith::cast(type, factor));
  }
  arith::Canon canon;
  std::vector<VarRef> vars;
  std::vector<PrimExpr> extents;
  PrimExpr place = arith::constantInt(type, 0);
  for (size_t i = 0; i < factors.size(); ++i) {
    const PrimExpr above = arith::sub(arith::add(loop.extent, known), arith::constantInt(type, 1));
    extents.push_back(factors[i] ? arith::cast(type, factors[i]) : canon.simplify(arith::floorDiv(above, known)));
    vars.push_back(make<Var>(Str(fmt::format("{}_{}", loop.loopVar->name.view(), i)), type));
    place = arith::add(arith::mul(place, extents[i]), vars[i]);
  }
  arith::Domains domains;
  for (size_t i = 0; i < vars.size(); ++i) {
    const PrimExpr zero = arith::constantInt(type, 0);
    canon.bind(vars[i], zero, extents[i]);
    domains[vars[i].get()] = arith::IntSet::fromRange(zero, extents[i]);
  }
  Stmt body = substitute(loop.body, {{loop.loopVar.get(), arith::cast(loop.loopVar->dtype, place)}});
  const PrimExpr inside = arith::lt(place, loop.extent);
  if (!arith::canProveBySets(inside, domains, canon)) body = Guard(inside).rewrite(body);
  for (size_t i = vars.size(); i-- > 0;) body = loopOver(vars[i], extents[i], ForKind::Serial, body);
  LoopNest nest{{}, AxisSimplifier(around, units == UnitIters::Drop).rewrite(body)};
  while (nest.loops.size() < factors.size()) {
    nest.loops.push_back(cast<For>(nest.body));
    nest.body = nest.loops.back()->body;
  }
  return nest;
}

Ref<For> boundTo(const For& loop, std::string_view tag) {
  auto* copy = new For(loop);
  copy->forKind = ForKind::ThreadBinding;
  copy->threadBinding =
      make<IterVar>(nullptr, make<Var>(Str(tag), loop.loopVar->dtype), IterType::ThreadIndex, Str(tag));
  return Ref<For>(copy);
}

}  // namespace rx::lower
