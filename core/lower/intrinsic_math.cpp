#include "core/lower/intrinsic_math.h"

#include <array>
#include <limits>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/op/approximation.h"

namespace rx::lower {

using namespace tir;
using arith::add;
using arith::div;
using arith::mul;
using arith::sub;

namespace {

PrimExpr unary(std::string_view name, PrimExpr x) {
  const DataType type = x->dtype;
  return intrinsic(type, name, {std::move(x)});
}
PrimExpr binary(std::string_view name, PrimExpr x, PrimExpr y) {
  const DataType type = x->dtype;
  return intrinsic(type, name, {std::move(x), std::move(y)});
}
PrimExpr number(const PrimExpr& like, double value) { return arith::constant(like->dtype, value); }

/// NaN of any float; 16-bit values are asked in float32.
PrimExpr isNaN(const PrimExpr& x) {
  const DataType truth = DataType::Bool(x->dtype.lanes);
  if (x->dtype.bits != 16) return intrinsic(truth, "isnan", {x});
  return intrinsic(truth, "isnan", {arith::cast(DataType::Float(32, x->dtype.lanes), x)});
}

PrimExpr isInfinite(const PrimExpr& x) {
  const PrimExpr infinity = number(x, std::numeric_limits<double>::infinity());
  return arith::logicalAnd(arith::eq(unary("fabs", x), infinity), arith::logicalNot(isNaN(x)));
}

/// A constant, also as a vector of one.
std::optional<int64_t> constantOf(const PrimExpr& expr) {
  const auto* broadcast = as<Broadcast>(expr);
  return asInt(broadcast ? broadcast->value : expr);
}

/// ((shifts ? x << left : x) * y, rounded) >> (right + q), in 64 bits, as int32.
PrimExpr shiftedProduct(const PrimExpr& x, const PrimExpr& y, const PrimExpr& q, const PrimExpr& left,
                        const PrimExpr& right, const PrimExpr& shifts) {
  const auto lanes = x->dtype.lanes;
  const DataType wide = DataType::Int(64, lanes);
  const PrimExpr one = arith::constantInt(wide, 1);
  PrimExpr value = arith::cast(wide, x);
  PrimExpr by = left;
  arith::matchTypes(value, by);
  value = make<Select>(shifts, binary("shift_left", value, by), value);
  value = mul(value, arith::cast(wide, y));
  const PrimExpr total = add(right, q);
  PrimExpr before = sub(total, arith::constantInt(total->dtype, 1)), all = total;
  PrimExpr unit = one;
  arith::matchTypes(unit, before);
  value = add(value, binary("shift_left", unit, before));
  arith::matchTypes(value, all);
  return arith::cast(DataType::Int(32, lanes), binary("shift_right", value, all));
}

}  // namespace

PrimExpr rsqrtByDivision(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  return div(number(x, 1), unary("sqrt", x));
}

PrimExpr sigmoidByExp(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  return div(number(x, 1), add(number(x, 1), unary("exp", arith::neg(x))));
}

PrimExpr exp10ByExp(const tir::Call& call, std::string_view) {
  constexpr double kLn10 = 2.302585093;  // as TVM has it
  const PrimExpr& x = call.args[0];
  return unary("exp", mul(x, number(x, kLn10)));
}

PrimExpr tanBySinCos(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  return div(unary("sin", x), unary("cos", x));
}

PrimExpr atanhByLog(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  const PrimExpr one = number(x, 1);
  return mul(sub(unary("log", add(one, x)), unary("log", sub(one, x))), number(x, 0.5));
}

PrimExpr stableTanh(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  const PrimExpr one = number(x, 1);
  const PrimExpr down = unary("exp", mul(number(x, -2), x)), up = unary("exp", mul(number(x, 2), x));
  return make<Select>(arith::ge(x, number(x, 0)), div(sub(one, down), add(one, down)), div(sub(up, one), add(up, one)));
}

PrimExpr fastErf(const tir::Call& call, std::string_view) { return op::approximateErf(call.args[0]); }

PrimExpr infiniteByComparison(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  return x->dtype.isFloat() ? isInfinite(x) : arith::constantInt(call.dtype, 0);
}

PrimExpr finiteByComparison(const tir::Call& call, std::string_view) {
  const PrimExpr& x = call.args[0];
  if (!x->dtype.isFloat()) return arith::constantInt(call.dtype, 1);
  return arith::logicalAnd(arith::logicalNot(isInfinite(x)), arith::logicalNot(isNaN(x)));
}

PrimExpr multiplyShift(const tir::Call& call, std::string_view) {
  constexpr int64_t kHalf = int64_t{1} << 30;  // 0.5 in fixed point
  const PrimExpr &x = call.args[0], &y = call.args[1], &q = call.args[2], &s = call.args[3];
  const auto factor = constantOf(y), shift = constantOf(s);
  if (factor == kHalf && shift) {
    const PrimExpr by = sub(s, arith::constantInt(s->dtype, 1));
    if (*shift > 1) return binary("shift_left", x, by);
    const PrimExpr down = arith::neg(by), one = arith::constantInt(DataType::Int(32, x->dtype.lanes), 1);
    const PrimExpr half = binary("shift_left", one, sub(down, arith::constantInt(down->dtype, 1)));
    return binary("shift_right", add(x, half), down);
  }
  const PrimExpr zero = arith::constantInt(s->dtype, 0);
  const PrimExpr left = make<Select>(arith::gt(s, zero), s, zero);
  const PrimExpr right = make<Select>(arith::gt(s, zero), zero, arith::neg(s));
  return shiftedProduct(x, y, q, left, right, arith::ne(left, zero));
}

PrimExpr multiplyShiftPerAxis(const tir::Call& call, std::string_view) {
  const auto& args = call.args;
  return shiftedProduct(args[0], args[1], args[4], args[2], args[3], args[5]);
}

}  // namespace rx::lower
