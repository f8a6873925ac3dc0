// What FastMathTransform writes: exp, erf, tanh and softmax by polynomials, as TVM's topi has them. Types without a
// polynomial get the function itself.
#include "core/legalize/families.h"
#include "core/op/approximation.h"

namespace rx::legalize {

using namespace te;

namespace {

/// The polynomial of an element, or the intrinsic.
template <PrimExpr (*Approximate)(const PrimExpr&)>
PrimExpr orExact(PrimExpr x, const char* intrinsic) {
  PrimExpr close = Approximate(x);
  return close ? close : math(intrinsic, std::move(x));
}

Outcome fastExp(Lowering& l) { return l.finish("fast_exp", fastExpStage(l, l.arg(0))); }

Outcome fastErf(Lowering& l) {
  Tensor x = l.arg(0);
  const bool exact = x.dtype() != DataType::Float(16) && x.dtype() != DataType::Float(32);
  return l.finish("fast_erf", unaryStage(
                                  l, x, [](PrimExpr e) { return orExact<op::approximateErf>(std::move(e), "erf"); },
                                  exact ? "T_erf" : "T_fast_erf"));
}

/// Bounded in stages of their own.
Outcome fastTanh(Lowering& l) {
  Tensor x = l.arg(0);
  const auto bound = [&](double value) { return operandOf(arith::constant(x.dtype(), value)); };
  if (x.dtype() == DataType::Float(32)) {
    const Tensor below = binaryStage(l, bound(op::kTanhEnd), operandOf(x), arith::min, "T_minimum");
    x = binaryStage(l, bound(-op::kTanhEnd), operandOf(below), arith::max, "T_maximum");
  }
  return l.finish("fast_tanh", unaryStage(
                                   l, x, [](PrimExpr e) { return orExact<op::approximateTanh>(std::move(e), "tanh"); },
                                   "T_fast_tanh"));
}

Outcome fastSoftmax(Lowering& l) {
  Tensor x = l.arg(0);
  const auto axis = normalAxis(l.intAttr("axis", -1), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  return l.finish("fast_softmax", softmaxStage(l, x, *axis, true));
}

constexpr LegalizeRow kRows[] = {
    {"relax.exp", fastExp},
    {"relax.erf", fastErf},
    {"relax.tanh", fastTanh},
    {"relax.nn.softmax", fastSoftmax},
};

}  // namespace

Tensor fastExpStage(Lowering& l, const Tensor& x) {
  return unaryStage(
      l, x, [](PrimExpr e) { return orExact<op::approximateExp>(std::move(e), "exp"); }, "T_fast_exp");
}

std::span<const LegalizeRow> fastMathRows() { return kRows; }

}  // namespace rx::legalize
