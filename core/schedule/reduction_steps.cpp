#include "core/schedule/reduction_steps.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/contraction.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

bool hasShares(const Stage& stage, Kind kind) {
  const bool number = isa<FloatImm>(stage.init) || isa<IntImm>(stage.init);
  return number &&
         (kind == Kind::tir_Max || kind == Kind::tir_Min || (kind == Kind::tir_Add && arith::isZero(stage.init)));
}

ReductionSteps::ReductionSteps(StageReduction reduction, const Stage& stage, const VectorShape& vectors)
    : reduction_(std::move(reduction)),
      stage_(stage),
      type_(*typeOfSums(stage.buffer->dtype)),
      fused_(vectors.fused && type_.isFloat()) {}

PrimExpr ReductionSteps::none() const { return arith::cast(type_, stage_.init); }

PrimExpr ReductionSteps::met(PrimExpr a, PrimExpr b) const {
  return arith::makeBinary(reduction_.kind, std::move(a), std::move(b));
}

PrimExpr ReductionSteps::grown(PrimExpr share, const PrimExpr& step, const PrimExpr& inside) const {
  const auto counted = [&](const PrimExpr& value) {
    const PrimExpr made = arith::cast(type_, value);
    return inside ? lower::intrinsic(type_, "if_then_else", {inside, made, none()}) : made;
  };
  const auto* product = as<Mul>(step);
  if (!fused_ || !product || reduction_.kind != Kind::tir_Add) return met(std::move(share), counted(step));
  return fusedMultiplyAdd(counted(product->a), counted(product->b), std::move(share));
}

PrimExpr ReductionSteps::made(const PrimExpr& sum) const { return arith::cast(stage_.buffer->dtype, sum); }

}  // namespace rx::schedule
