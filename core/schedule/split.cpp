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

Result<std::vector<LoopRef>> bare::split(Schedule& schedule, const LoopRef& loop, const Factors& factors) {
  RX_TRY(path, plainLoop(schedule, "split", loop));
  const auto old = cast<For>(path.back());
  std::vector<PrimExpr> extents;
  for (const PrimExpr& factor : factors.extents) {
    const auto number = factor ? asInt(factor) : std::nullopt;
    extents.push_back(number ? arith::constantInt(loop->dtype, *number) : factor);
  }
  if (const std::string why = whyNot(old->extent, extents); !why.empty()) {
    return refuse("split", loop->name.view(), why);
  }
  path.pop_back();
  const lower::LoopNest nest = lower::splitLoop(*old, extents, loopsOf(path), lower::UnitIters::Keep);
  std::vector<LoopRef> made;
  for (const auto& part : nest.loops) made.push_back(part->loopVar);
  schedule.replace(old, nest.loops.front());
  return made;
}

}  // namespace rx::schedule
