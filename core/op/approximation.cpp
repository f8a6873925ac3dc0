#include "core/op/approximation.h"

#include <array>
#include <span>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/op/tir_intrinsics.h"

namespace rx::op {

using arith::add;
using arith::div;
using arith::mul;
using arith::sub;

namespace {

bool isFloat(const PrimExpr& x, int mostBits) { return x->dtype.code == TypeCode::Float && x->dtype.bits <= mostBits; }

PrimExpr number(const PrimExpr& like, double value) { return arith::constant(like->dtype, value); }

PrimExpr call(DataType type, std::string_view name, std::vector<PrimExpr> args) {
  return make<tir::Call>(type, tirOp(name), Array<PrimExpr>(std::move(args)));
}

/// x * (... (x * c[0] + c[1]) + ...) + c[n], the coefficient of the highest power first.
template <class T>
PrimExpr polynomial(const PrimExpr& x, std::span<const T> coefficients) {
  PrimExpr value = add(mul(x, number(x, coefficients[0])), number(x, coefficients[1]));
  for (const T coefficient : coefficients.subspan(2)) value = add(mul(x, value), number(x, coefficient));
  return value;
}

}  // namespace

/// 2^n from the bits of a float, times the exponential of what n leaves, which is small.
PrimExpr approximateExp(const PrimExpr& given) {
  if (!isFloat(given, 32) || given->dtype.bits != 32) return nullptr;
  constexpr std::array kCoefficients{1.9875691500E-4F, 1.3981999507E-3F, 8.3334519073E-3F,
                                     4.1665795894E-2F, 1.6666665459E-1F, 5.0000001201E-1F};
  constexpr float kHigh = 88.3762626647950F, kLow = -88.3762626647949F;
  constexpr float kLog2E = 1.44269504088896341F, kLn2 = 0.6931471805599453F;
  constexpr int kExponentBias = 127, kMantissaBits = 23;
  const PrimExpr x = arith::max(arith::min(given, number(given, kHigh)), number(given, kLow));
  const PrimExpr whole = call(x->dtype, "floor", {add(mul(x, number(x, kLog2E)), number(x, 0.5))});
  const PrimExpr part = sub(x, mul(whole, number(x, kLn2)));
  PrimExpr series = number(x, kCoefficients[0]);
  for (size_t i = 1; i < kCoefficients.size(); ++i) series = add(mul(series, part), number(x, kCoefficients[i]));
  series = add(add(mul(mul(series, part), part), part), number(x, 1));
  const DataType bits = DataType::Int(32, x->dtype.lanes);
  const PrimExpr exponent =
      call(bits, "shift_left",
           {arith::cast(bits, add(whole, number(x, kExponentBias))), arith::constantInt(bits, kMantissaBits)});
  return arith::max(mul(call(x->dtype, "reinterpret", {exponent}), series), given);
}

PrimExpr approximateTanh(const PrimExpr& x) {
  if (!isFloat(x, 32) || x->dtype.bits != 32) return nullptr;
  constexpr std::array kAbove{-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                              1.48572235717979e-05,  6.37261928875436e-04, 4.89352455891786e-03};
  constexpr std::array kBelow{1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03};
  const PrimExpr square = mul(x, x);
  return div(mul(x, polynomial<double>(square, kAbove)), polynomial<double>(square, kBelow));
}

PrimExpr approximateErf(const PrimExpr& given) {
  if (!isFloat(given, 32)) return nullptr;
  constexpr std::array kAbove{-2.72614225801306e-10F, 2.77068142495902e-08F,  -2.10102402082508e-06F,
                              -5.69250639462346e-05F, -7.34990630326855e-04F, -2.95459980854025e-03F,
                              -1.60960333262415e-02F};
  constexpr std::array kBelow{-1.45660718464996e-05F, -2.13374055278905e-04F, -1.68282697438203e-03F,
                              -7.37332916720468e-03F, -1.42647390514189e-02F};
  const PrimExpr x = arith::max(arith::min(given, number(given, 4)), number(given, -4)), square = mul(x, x);
  return div(mul(x, polynomial<float>(square, kAbove)), polynomial<float>(square, kBelow));
}

}  // namespace rx::op
