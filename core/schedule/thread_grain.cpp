#include "core/schedule/thread_grain.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/shared_loops.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

ThreadGrain::ThreadGrain(std::span<const StageAxis> axes, int64_t from, bool threads) : shares_(threads) {
  if (!threads) return;
  // In floats: no number of steps leaves their range.
  const DataType type = DataType::Float(64);
  double known = 1;
  PrimExpr unknown;
  for (const StageAxis& axis : axes) {
    if (const auto steps = axis.steps()) {
      known *= static_cast<double>(*steps);
    } else {
      const PrimExpr size = arith::cast(type, axis.extent);
      unknown = unknown ? arith::mul(unknown, size) : size;
    }
  }
  const bool enough = known >= static_cast<double>(from);
  shares_ = enough || unknown;
  if (shares_ && !enough) enough_ = arith::ge(unknown, make<FloatImm>(type, static_cast<double>(from) / known));
}

Stmt ThreadGrain::around(Stmt nest) const {
  if (!enough_) return nest;
  return make<AttrStmt>(intImm(0, DataType::Int(32)), Str(tir::kThreadsIf), enough_, std::move(nest));
}

Stmt ThreadGrain::over(std::span<const StageAxis> outer, const SharedMaker& made) const {
  const ForKind kind = shares_ && outer.empty() ? ForKind::Parallel : ForKind::Serial;
  const Stmt nest = overAxes(outer, [&](const arith::VarMap& places) { return made(places, kind); });
  return outer.empty() ? around(nest) : outermost(nest);
}

Stmt ThreadGrain::outermost(const Stmt& nest) const { return shares_ ? around(inParallel(nest)) : nest; }

}  // namespace rx::schedule
