#include "core/op/shape_check.h"

#include "core/arith/fold.h"
#include "core/ir/structural_equal.h"

namespace rx::op {

Match matchValues(const tir::PrimExpr& a, const tir::PrimExpr& b, InferContext& context) {
  if (a == b) return Match::Equal;
  const auto* x = as<tir::IntImm>(a);
  const auto* y = as<tir::IntImm>(b);
  if (x && y) return x->value == y->value ? Match::Equal : Match::Different;
  if (!a->dtype.isIntegral() || !b->dtype.isIntegral()) {
    return arith::sameExpr(a, b) ? Match::Equal : Match::Unknown;
  }
  if (isa<tir::Var>(a) && isa<tir::Var>(b)) {
    if (context.analyzer().canProveEqual(a, b)) return Match::Equal;
    return Match::Unknown;
  }
  if (a->dtype == b->dtype && arith::sameExpr(a, b)) return Match::Equal;
  if (context.analyzer().canProveEqual(a, b)) return Match::Equal;
  tir::PrimExpr lhs = a, rhs = b;
  if (!arith::matchTypes(lhs, rhs)) return Match::Unknown;
  auto difference = tir::asInt(context.analyzer().simplify(arith::sub(lhs, rhs)));
  if (!difference) return Match::Unknown;
  return *difference == 0 ? Match::Equal : Match::Different;
}

Match matchShapes(std::span<const tir::PrimExpr> a, std::span<const tir::PrimExpr> b, InferContext& context) {
  if (a.data() == b.data() && a.size() == b.size()) return Match::Equal;
  if (a.size() != b.size()) return Match::Different;
  Match all = Match::Equal;
  for (size_t i = 0; i < a.size(); ++i) {
    const Match one = matchValues(a[i], b[i], context);
    if (one == Match::Different) return one;
    if (one == Match::Unknown) all = one;
  }
  return all;
}

bool sameDevice(const Ref<ir::VDevice>& a, const Ref<ir::VDevice>& b) {
  if (a == b) return true;
  return a && b && structuralEqual(a, b);
}

}  // namespace rx::op
