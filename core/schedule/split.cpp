// split: one loop becomes a nest of loops.
#include <fmt/format.h>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_bindings.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Why these factors make no nest for a loop of this extent; empty where they do.
std::string whyNot(const PrimExpr& extent, std::span<const PrimExpr> factors) {
  size_t open = 0;
  PrimExpr product = arith::constantInt(extent->dtype, 1);
  for (const PrimExpr& factor : factors) {
    if (!factor) {
      ++open;
      continue;
    }
    const auto number = asInt(factor);
    if (number && *number <= 0) return fmt::format("a factor is {}, and must be positive", *number);
    product = arith::mul(product, factor);
  }
  if (factors.empty()) return "there are no factors";
  if (open > 1) return "only one factor can follow from the others";
  arith::Canon canon;
  if (open == 0 && !canon.canProve(arith::ge(product, extent))) return "its factors do not reach its extent";
  return {};
}

}  // namespace

Result<std::vector<LoopRef>> split(Schedule& schedule, const LoopRef& loop, std::span<const PrimExpr> factors) {
  RX_TRY(path, plainLoop(schedule, "split", loop));
  const auto old = cast<For>(path.back());
  if (const std::string why = whyNot(old->extent, factors); !why.empty()) {
    return refuse("split", loop->name.view(), why);
  }
  path.pop_back();
  const lower::LoopNest nest = lower::splitLoop(*old, factors, loopsOf(path), lower::UnitIters::Keep);
  std::vector<LoopRef> made;
  for (const auto& part : nest.loops) made.push_back(part->loopVar);
  schedule.replace(old, nest.loops.front());
  return made;
}

Result<std::vector<LoopRef>> split(Schedule& schedule, const LoopRef& loop, std::initializer_list<int64_t> factors) {
  std::vector<PrimExpr> numbers;
  for (const int64_t factor : factors) {
    numbers.push_back(factor == 0 ? nullptr : arith::constantInt(loop->dtype, factor));
  }
  return split(schedule, loop, numbers);
}

}  // namespace rx::schedule
