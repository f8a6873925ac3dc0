#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/all_nodes.h"
#include "core/lower/copy_rules.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// All loops of a nest as one.
Result<Ref<For>> fused(const Stmt& body) {
  const LoopNest nest = loopNest(body);
  if (nest.loops.empty()) return otherForm(body->span, "a block that copies is a nest of loops around one store");
  const VarRef& first = nest.loops[0]->loopVar;
  std::string suffix;
  for (size_t i = 1; i < nest.loops.size(); ++i) suffix += fmt::format("_{}", nest.loops[i]->loopVar->name.view());
  const VarRef all = renamed(*first, suffix + "_fused");
  arith::VarMap map;
  PrimExpr rest = all, extent = arith::constantInt(all->dtype, 1);
  for (size_t i = nest.loops.size(); i-- > 0;) {
    const For& loop = *nest.loops[i];
    map[loop.loopVar.get()] = arith::floorMod(rest, loop.extent);
    rest = arith::floorDiv(rest, loop.extent);
  }
  for (const Ref<For>& loop : nest.loops) extent = arith::mul(extent, loop->extent);
  return refAs<For>(loopOver(all, extent, ForKind::Serial, substitute(nest.body, map)));
}

/// The loop as rounds, threads and vectors.
Result<Stmt> dealtOut(const For& loop, const CopyBlock& copy) {
  constexpr std::string_view kAxes[] = {"threadIdx.z", "threadIdx.y", "threadIdx.x"};
  const auto extent = asInt(loop.extent);
  if (!extent) return otherForm(loop.span, "the loops of a block that copies have constant extents");
  std::vector<int64_t> factors{1};
  std::vector<std::string_view> tags{{}};
  for (const std::string_view axis : kAxes) {
    const auto threads = copy.threads.find(axis);
    if (threads == copy.threads.end()) continue;
    factors.push_back(threads->second);
    tags.push_back(axis);
  }
  factors.push_back(std::max<int64_t>(1, copy.vectorBytes * 8 / copy.read->buffer->dtype.bits));
  int64_t inner = 1;
  for (const int64_t factor : factors) inner *= factor;
  factors[0] = (*extent + inner - 1) / inner;

  const DataType type = loop.loopVar->dtype;
  auto number = [&](int64_t value) { return arith::constantInt(type, value); };
  arith::Analyzer analyzer;
  std::vector<VarRef> vars;
  PrimExpr place = number(0);
  for (size_t i = 0; i < factors.size(); ++i) {
    vars.push_back(renamed(*loop.loopVar, fmt::format("_{}", i)));
    analyzer.bind(vars[i], Range(number(0), number(factors[i])));
    place = arith::add(arith::mul(place, number(factors[i])), vars[i]);
  }
  Stmt body = substitute(loop.body, {{loop.loopVar.get(), place}});
  const PrimExpr inside = arith::lt(place, loop.extent);
  if (!analyzer.canProve(inside)) body = make<IfThenElse>(inside, body);
  body = loopOver(vars.back(), number(factors.back()), ForKind::Vectorized, body);
  for (size_t i = factors.size() - 1; i-- > 1;) {
    const auto thread =
        make<IterVar>(nullptr, make<Var>(Str(tags[i]), DataType::Int(32)), IterType::ThreadIndex, Str(tags[i]));
    body = make<For>(vars[i], number(0), number(factors[i]), ForKind::ThreadBinding, body, thread);
  }
  return loopOver(vars[0], number(factors[0]), ForKind::Serial, body);
}

/// Whether a dimension of a region is walked over.
bool isWide(const Ref<Range>& range) { return asInt(range->extent) != 1; }

}  // namespace

Result<Ref<BufferStore>> storeOf(const Stmt& body) {
  if (auto store = refAs<BufferStore>(body)) return store;
  return otherForm(body->span, "a block that copies is a nest of loops around one store");
}

Result<Stmt> coalesce(const Stmt& body, const CopyBlock& copy, CopyBuffers&) {
  RX_TRY(loop, fused(body));
  return dealtOut(*loop, copy);
}

Result<Stmt> invertMapping(const Stmt& body, const CopyBlock& copy, CopyBuffers&) {
  const LoopNest nest = loopNest(body);
  RX_TRY(store, storeOf(nest.body));
  const auto& written = copy.write->region;
  if (store->buffer != copy.write->buffer || store->indices.size() != written.size()) {
    return otherForm(store->span, "a block that copies writes the region that it names");
  }
  arith::Analyzer analyzer;
  std::vector<PrimExpr> pattern, vars;
  for (size_t i = 0; i < written.size(); ++i) {
    const PrimExpr part = analyzer.simplify(arith::sub(store->indices[i], written[i]->min));
    if (!arith::isZero(part)) pattern.push_back(part);
  }
  std::vector<arith::IterRange> ranges;
  for (const Ref<For>& loop : nest.loops) {
    vars.push_back(loop->loopVar);
    ranges.push_back({loop->loopVar, loop->min, loop->extent});
  }
  const auto sums = arith::detectIterMap({pattern, ranges, nullptr, arith::IterMapLevel::Bijective}, analyzer);
  auto inverse = sums ? arith::invertIterMap(*sums, vars, analyzer) : std::nullopt;
  if (!inverse) return otherForm(store->span, "the places that are written are the loops' in another order");

  std::vector<PrimExpr> to, from;
  std::vector<VarRef> fresh;
  std::vector<PrimExpr> extents;
  arith::VarMap map;
  for (const Ref<Range>& range : written) {
    if (isWide(range) && fresh.size() < nest.loops.size()) {
      const VarRef& old = nest.loops[fresh.size()]->loopVar;
      fresh.push_back(renamed(*old, "_inverse"));
      extents.push_back(range->extent);
      map[old.get()] = fresh.back();
      to.push_back(arith::add(range->min, fresh.back()));
    } else {
      to.push_back(range->min);
    }
  }
  size_t next = 0;
  for (const Ref<Range>& range : copy.read->region) {
    const bool wide = isWide(range) && next < nest.loops.size();
    const auto value = wide ? inverse->find(nest.loops[next++]->loopVar.get()) : inverse->end();
    from.push_back(value == inverse->end() ? range->min
                                           : arith::add(range->min, arith::substitute(value->second, map)));
  }
  const BufferRef& source = copy.read->buffer;
  const PrimExpr load = make<BufferLoad>(source, Array<PrimExpr>(std::move(from)), source->dtype);
  Stmt made = make<BufferStore>(store->buffer, load, Array<PrimExpr>(std::move(to)));
  for (size_t i = fresh.size(); i-- > 0;) made = loopOver(fresh[i], extents[i], ForKind::Serial, made);
  return made;
}

}  // namespace rx::lower
