#include "core/op/base_check.h"

#include "core/ir/structural_equal.h"
#include "core/op/shape_check.h"
#include "core/support/stack.h"

namespace rx::op {

using namespace relax;

namespace {
BaseCheck worse(BaseCheck a, BaseCheck b) { return std::min(a, b); }
/// Of a derived value of another kind: only an Object may still be what the base says.
BaseCheck otherKind(const StructInfo& derived) {
  return isa<ObjectStructInfo>(derived) ? BaseCheck::FailL1 : BaseCheck::FailL0;
}
BaseCheck ofMatch(Match match) {
  if (match == Match::Equal) return BaseCheck::Pass;
  return match == Match::Different ? BaseCheck::FailL0 : BaseCheck::FailL2;
}
}  // namespace

BaseCheck BaseChecker::checkValue(const tir::PrimExpr& base, const tir::PrimExpr& derived) {
  return ofMatch(matchValues(base, derived, context_));
}

BaseCheck BaseChecker::checkValues(std::span<const tir::PrimExpr> base, std::span<const tir::PrimExpr> derived) {
  if (base.size() != derived.size()) return BaseCheck::FailL0;
  BaseCheck result = BaseCheck::Pass;
  for (size_t i = 0; i < base.size(); ++i) {
    result = worse(result, checkValue(base[i], derived[i]));
    if (result == BaseCheck::FailL0) break;
  }
  return result;
}

BaseCheck BaseChecker::checkShapeExpr(const Expr& base, const Expr& derived) {
  if (base == derived && !binds()) return BaseCheck::Pass;
  const auto* a = as<ShapeExpr>(base);
  const auto* b = as<ShapeExpr>(derived);
  if (a && b) return checkValues(a->values, b->values);
  // A shape variable says what its StructInfo says.
  const auto* x = as<ShapeStructInfo>(base->sinfo);
  const auto* y = as<ShapeStructInfo>(derived->sinfo);
  if (x && y && x->known && y->known) return checkValues(x->values, y->values);
  return BaseCheck::FailL2;
}

BaseCheck BaseChecker::checkList(std::span<const StructInfo> base, std::span<const StructInfo> derived) {
  if (base.size() != derived.size()) return BaseCheck::FailL0;
  BaseCheck result = BaseCheck::Pass;
  for (size_t i = 0; i < base.size(); ++i) {
    result = worse(result, check(base[i], derived[i]));
    if (result == BaseCheck::FailL0) break;
  }
  return result;
}

BaseCheck BaseChecker::checkParams(std::span<const StructInfo> base, std::span<const StructInfo> derived) {
  return checkList(base, derived);
}

BaseCheck BaseChecker::checkPrim(const PrimStructInfo& base, const StructInfo& derived) {
  const auto* other = as<PrimStructInfo>(derived);
  if (!other) return otherKind(derived);
  if (base.dtype != other->dtype) return BaseCheck::FailL0;
  if (!base.value) return BaseCheck::Pass;
  if (!other->value) return BaseCheck::FailL2;
  return checkValue(base.value, other->value);
}

BaseCheck BaseChecker::checkShape(const ShapeStructInfo& base, const StructInfo& derived) {
  const auto* other = as<ShapeStructInfo>(derived);
  if (!other) return otherKind(derived);
  if (base.ndim == kUnknownDim) return BaseCheck::Pass;
  if (base.ndim != other->ndim) return other->ndim == kUnknownDim ? BaseCheck::FailL1 : BaseCheck::FailL0;
  if (!base.known) return BaseCheck::Pass;
  if (!other->known) return BaseCheck::FailL2;
  return checkValues(base.values, other->values);
}

BaseCheck BaseChecker::checkTensor(const TensorStructInfo& base, const StructInfo& derived) {
  const auto* other = as<TensorStructInfo>(derived);
  if (!other) return otherKind(derived);
  if (!base.dtype.isVoid() && base.dtype != other->dtype) {
    return other->dtype.isVoid() ? BaseCheck::FailL1 : BaseCheck::FailL0;
  }
  if (base.ndim != kUnknownDim && base.ndim != other->ndim) {
    return other->ndim == kUnknownDim ? BaseCheck::FailL1 : BaseCheck::FailL0;
  }
  if (base.vdevice) {
    if (!other->vdevice) return BaseCheck::FailL1;
    if (!sameDevice(base.vdevice, other->vdevice)) return BaseCheck::FailL0;
  }
  if (!base.shape) return BaseCheck::Pass;
  if (!other->shape) return BaseCheck::FailL2;
  return checkShapeExpr(base.shape, other->shape);
}

BaseCheck BaseChecker::checkFunc(const FuncStructInfo& base, const StructInfo& derived) {
  const auto* other = as<FuncStructInfo>(derived);
  if (!other) return otherKind(derived);
  // A pure function may stand where an impure one is expected, not the other way round.
  if (base.purity && !other->purity) return BaseCheck::FailL0;
  if (!base.paramsKnown) {
    if (!base.deriveFunc.empty()) return base.deriveFunc == other->deriveFunc ? BaseCheck::Pass : BaseCheck::FailL2;
    return check(base.ret, other->ret);
  }
  if (!other->paramsKnown) return BaseCheck::FailL2;
  // Each side defines its own symbols in its parameters; only structural equality maps them to each other.
  if (base.params.size() == other->params.size() && structuralEqual(Ref(&base), Ref(other))) return BaseCheck::Pass;
  const BaseCheck params = checkParams(base.params, other->params);
  return worse(params, check(base.ret, other->ret));
}

BaseCheck BaseChecker::check(const StructInfo& base, const StructInfo& derived) {
  if (base == derived && !binds()) return BaseCheck::Pass;
  switch (base->kind()) {
    case Kind::relax_ObjectStructInfo:
      return BaseCheck::Pass;
    case Kind::relax_PrimStructInfo:
      return checkPrim(*as<PrimStructInfo>(base), derived);
    case Kind::relax_ShapeStructInfo:
      return checkShape(*as<ShapeStructInfo>(base), derived);
    case Kind::relax_TensorStructInfo:
      return checkTensor(*as<TensorStructInfo>(base), derived);
    case Kind::relax_TupleStructInfo: {
      const auto* other = as<TupleStructInfo>(derived);
      if (!other) return otherKind(derived);
      return withStack([&] { return checkList(as<TupleStructInfo>(base)->items, other->items); });
    }
    case Kind::relax_FuncStructInfo:
      return withStack([&] { return checkFunc(*as<FuncStructInfo>(base), derived); });
    default:
      break;
  }
  const auto* placed = as<DTensorStructInfo>(base);
  const auto* other = as<DTensorStructInfo>(derived);
  if (!other) return otherKind(derived);
  if (!structuralEqual(placed->deviceMesh, other->deviceMesh) ||
      !structuralEqual(placed->placement, other->placement)) {
    return BaseCheck::FailL0;
  }
  return check(placed->tensor, other->tensor);
}

BaseCheck baseCheck(const StructInfo& base, const StructInfo& derived, InferContext& context) {
  return base == derived ? BaseCheck::Pass : BaseChecker(context).check(base, derived);
}

}  // namespace rx::op
