// Operators that compute each element from those at its place.
#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay::translate {

using relax::Expr;

Expr same(CallTranslation& t) { return t.makeRow({t.args().begin(), t.args().end()}); }

Expr itself(CallTranslation& t) { return t.arg(0); }

/// A build finds by itself when values die.
Expr nothing(CallTranslation& t) { return t.tuple({}); }

Expr broadcast(CallTranslation& t) {
  std::vector<Expr> values = t.args();
  t.align(values);
  return t.makeRow({values[0], values[1]});
}

/// Towards zero; whole numbers divide so by themselves.
Expr truncDivide(CallTranslation& t) {
  const Expr quotient = broadcast(t);
  return CallTranslation::dtype(t.arg(0)).isFloat() ? t.make("trunc", {quotient}) : quotient;
}

Expr logarithm(CallTranslation& t) {
  const double base = t.call()->op == operatorNamed("log2") ? 2 : 10;
  const DataType type = CallTranslation::dtype(t.arg(0));
  return t.make("multiply", {t.makeRow({t.arg(0)}), t.scalar(1 / std::log(base), type)});
}

Expr clip(CallTranslation& t) {
  const DataType type = CallTranslation::dtype(t.arg(0));
  // The ends of a range of integers may be wider than the type, as people write them.
  auto bound = [&](const char* name) -> NodeRef {
    const double value = t.real(name);
    if (type.isFloat()) return make<relax::PrimValue>(tir::floatImm(value, type));
    const double limit = std::ldexp(1.0, std::min<int>(type.bits, 62) - (type.isUInt() ? 0 : 1));
    const double kept = std::clamp(value, type.isUInt() ? 0.0 : -limit, limit - 1);
    return make<relax::PrimValue>(tir::intImm(static_cast<int64_t>(kept), type));
  };
  return t.makeRow({t.arg(0), bound("a_min"), bound("a_max")});
}

Expr cast(CallTranslation& t) { return t.cast(t.arg(0), t.typeAttr("dtype", CallTranslation::dtype(t.arg(0)))); }
Expr castLike(CallTranslation& t) { return t.cast(t.arg(0), CallTranslation::dtype(t.arg(1))); }

/// To the nearest whole number, halves away from zero, where Relax has the even one.
Expr round(CallTranslation& t) {
  if (!CallTranslation::dtype(t.arg(0)).isFloat()) return t.arg(0);
  return t.kernel("round", {t.arg(0)}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const DataType type = in[0].dtype();
    auto number = [&](double value) { return arith::constant(type, value); };
    auto element = [&](const te::Indices& i) {
      const tir::PrimExpr x = in[0](i), whole = te::math("trunc", x), rest = arith::sub(x, whole);
      const tir::PrimExpr down = op::ifThenElse(arith::le(rest, number(-0.5)), number(-1), number(0));
      return arith::add(whole, op::ifThenElse(arith::ge(rest, number(0.5)), number(1), down));
    };
    return std::vector{l.graph.compute(in[0].dims(), element, {"round"})};
  });
}

/// The bits as those of another type.
Expr reinterpret(CallTranslation& t) {
  const DataType type = t.resultDtype();
  if (type.bits != CallTranslation::dtype(t.arg(0)).bits) return t.refuse("both types need as many bits");
  return t.kernel("reinterpret", {t.arg(0)}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices& i) { return te::intrinsic("reinterpret", type, {in[0](i)}); };
    return std::vector{l.graph.compute(in[0].dims(), element, {"reinterpret"})};
  });
}

Expr where(CallTranslation& t) {
  std::vector<Expr> values = t.args();
  t.align(values);
  if (!CallTranslation::dtype(values[0]).isBool()) values[0] = t.cast(values[0], DataType::Bool());
  return t.makeRow({values[0], values[1], values[2]});
}

namespace {

/// value * multiplier / 2^right, rounded to the nearest, of integers of 32 bits.
tir::PrimExpr scaled(const tir::PrimExpr& value, const tir::PrimExpr& multiplier, const tir::PrimExpr& left,
                     const tir::PrimExpr& right) {
  const DataType wide = DataType::Int(64);
  auto power = [&](const tir::PrimExpr& n) { return te::intrinsic("shift_left", wide, {dim(1), n}); };
  const tir::PrimExpr shifted = arith::mul(arith::cast(wide, value), power(left));
  const tir::PrimExpr product = arith::mul(shifted, arith::cast(wide, multiplier));
  const tir::PrimExpr rounded = arith::add(product, power(arith::sub(right, dim(1))));
  return arith::cast(DataType::Int(32), arith::floorDiv(rounded, power(right)));
}

constexpr int64_t kFractionBits = 31;

}  // namespace

Expr fixedPointMultiply(CallTranslation& t) {
  const int64_t multiplier = t.integer("multiplier"), shift = t.integer("shift");
  return t.kernel("fixed_point_multiply", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices& i) {
      const Dim left = dim(std::max<int64_t>(shift, 0)), right = dim(kFractionBits + std::max<int64_t>(-shift, 0));
      return scaled(in[0](i), dim(multiplier), left, right);
    };
    return std::vector{l.graph.compute(in[0].dims(), element, {"fixed_point_multiply"})};
  });
}

/// With vectors of multipliers and shifts along some axes.
Expr fixedPointMultiplyPerAxis(CallTranslation& t) {
  const auto axes = t.numbers("axes").value_or(std::vector<int64_t>());
  const bool lefts = t.flag("is_lshift_required"), rights = t.flag("is_rshift_required");
  return t.kernel("fixed_point_multiply", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices& i) {
      te::Indices at;
      for (int64_t axis : axes) at.push_back(i[static_cast<size_t>(axis)]);
      auto read = [&](size_t k) { return arith::cast(DataType::Int(64), in[k](at)); };
      const tir::PrimExpr left = lefts ? read(2) : dim(0);
      const tir::PrimExpr right = rights ? arith::add(read(3), dim(kFractionBits)) : dim(kFractionBits);
      return scaled(in[0](i), in[1](at), left, right);
    };
    return std::vector{l.graph.compute(in[0].dims(), element, {"fixed_point_multiply"})};
  });
}

}  // namespace rx::relay::translate
