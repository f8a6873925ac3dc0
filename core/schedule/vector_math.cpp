#include "core/schedule/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/tir_numbers.h"
#include "core/tensor/float_functions.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Operations on float32.
class Formula {
 public:
  Formula(NamedValues& names, bool fused) : names_(names), fused_(fused) {}
  PrimExpr number(double value) const { return arith::constant(DataType::Float(32), value); }
  PrimExpr named(const char* name, PrimExpr value) { return names_.named(name, std::move(value)); }
  PrimExpr madd(PrimExpr a, PrimExpr b, PrimExpr c) const {
    return fused_ ? fusedMultiplyAdd(std::move(a), std::move(b), std::move(c))
                  : arith::add(arith::mul(std::move(a), std::move(b)), std::move(c));
  }
  /// (... (c[0] * x + c[1]) * x ...) + c[n]
  PrimExpr polynomial(const PrimExpr& x, std::span<const double> coefficients) const {
    PrimExpr value = number(coefficients[0]);
    for (const double coefficient : coefficients.subspan(1)) value = madd(std::move(value), x, number(coefficient));
    return value;
  }
  /// Within the bounds; what is no number stays.
  PrimExpr bounded(const PrimExpr& x, double low, double high) const {
    return arith::max(number(low), arith::min(number(high), x));
  }

 private:
  NamedValues& names_;
  bool fused_;
};

PrimExpr asWord(PrimExpr value) { return lower::intrinsic(DataType::Int(32), "reinterpret", {std::move(value)}); }
PrimExpr asFloat(PrimExpr bits) { return lower::intrinsic(DataType::Float(32), "reinterpret", {std::move(bits)}); }

/// 2^n times the exponential of what n leaves of x, where n is the nearest whole number of log2(e) x. Adding 1.5 * 2^23
/// rounds to n, and puts it in the lowest bits.
PrimExpr exponential(Formula& f, const PrimExpr& given) {
  constexpr double kLow = -104, kHigh = 89, kRounding = 12582912, kLog2E = 1.44269504088896341;
  constexpr double kLn2High = 0.693145751953125, kLn2Low = 1.42860682030941723212e-6;
  constexpr int64_t kRoundingBits = 0x4B400000;
  constexpr std::array kSeries{1.9875691500E-4, 1.3981999507E-3, 8.3334519073E-3,
                               4.1665795894E-2, 1.6666665459E-1, 5.0000001201E-1};
  const PrimExpr x = f.named("x", f.bounded(given, kLow, kHigh));
  const PrimExpr shifted = f.named("shifted", f.madd(x, f.number(kLog2E), f.number(kRounding)));
  const PrimExpr whole = f.named("whole", arith::sub(shifted, f.number(kRounding)));
  const PrimExpr most = f.madd(whole, f.number(-kLn2High), x);
  const PrimExpr rest = f.named("rest", f.madd(whole, f.number(-kLn2Low), most));
  const PrimExpr square = arith::mul(rest, rest);
  const PrimExpr series = arith::add(f.madd(f.polynomial(rest, kSeries), square, rest), f.number(1));
  const PrimExpr power =
      f.named("power", arith::sub(asWord(shifted), arith::constantInt(DataType::Int(32), kRoundingBits)));
  return f.named("exp", lower::intrinsic(DataType::Float(32), "rx_scaled", {series, power}));
}

/// ln(2) times the exponent that leaves a factor between the roots of 1/2 and of 2, and the series of ln(1 + rest) of
/// that factor. What is below the smallest normal number is made larger first.
PrimExpr logarithm(Formula& f, const PrimExpr& x) {
  constexpr double kLeastNormal = 1.17549435082228751e-38, kLarger = 33554432, kLargerPower = 25;
  constexpr double kLn2High = 0.693359375, kLn2Low = -2.12194440e-4;
  constexpr int64_t kRootOfHalf = 0x3F3504F3, kMantissa = 23, kInfinity = 0x7F800000, kNoNumber = 0x7FC00000;
  constexpr std::array kSeries{7.0376836292E-2,  -1.1514610310E-1, 1.1676998740E-1,  -1.2420140846E-1, 1.4249322787E-1,
                               -1.6668057665E-1, 2.0000714765E-1,  -2.4999993993E-1, 3.3333331174E-1};
  const DataType word = DataType::Int(32);
  const auto integer = [&](int64_t value) { return arith::constantInt(word, value); };
  const auto choice = [](PrimExpr condition, PrimExpr yes, PrimExpr no) -> PrimExpr {
    return make<Select>(std::move(condition), std::move(yes), std::move(no));
  };
  const PrimExpr tiny = arith::lt(x, f.number(kLeastNormal));
  const PrimExpr bits = f.named("bits", asWord(choice(tiny, arith::mul(x, f.number(kLarger)), x)));
  const PrimExpr power = f.named(
      "power", lower::intrinsic(word, "shift_right", {arith::sub(bits, integer(kRootOfHalf)), integer(kMantissa)}));
  const PrimExpr factor = asFloat(arith::sub(bits, lower::intrinsic(word, "shift_left", {power, integer(kMantissa)})));
  const PrimExpr rest = f.named("rest", arith::sub(factor, f.number(1)));
  const PrimExpr whole = f.named(
      "whole", arith::sub(arith::cast(DataType::Float(32), power), choice(tiny, f.number(kLargerPower), f.number(0))));
  const PrimExpr square = f.named("square", arith::mul(rest, rest));
  const PrimExpr cubic = arith::mul(arith::mul(f.polynomial(rest, kSeries), rest), square);
  const PrimExpr below = f.madd(square, f.number(-0.5), f.madd(whole, f.number(kLn2Low), cubic));
  const PrimExpr made = f.madd(whole, f.number(kLn2High), arith::add(rest, below));
  const PrimExpr infinity = asFloat(integer(kInfinity));
  const PrimExpr ofNone =
      choice(arith::eq(x, f.number(0)), arith::sub(f.number(0), infinity), asFloat(integer(kNoNumber)));
  return f.named("log", choice(arith::gt(x, f.number(0)), choice(arith::lt(x, infinity), made, x), ofNone));
}

PrimExpr sigmoid(Formula& f, const PrimExpr& x) {
  const PrimExpr power = exponential(f, arith::sub(f.number(0), x));
  return arith::div(f.number(1), arith::add(f.number(1), power));
}

/// Quotients of two polynomials of the square, times x.
PrimExpr tangent(Formula& f, const PrimExpr& given) {
  constexpr double kEnd = 9;
  constexpr std::array kAbove{-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                              1.48572235717979e-05,  6.37261928875436e-04, 4.89352455891786e-03};
  constexpr std::array kBelow{1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03};
  const PrimExpr x = f.named("x", f.bounded(given, -kEnd, kEnd));
  const PrimExpr square = f.named("square", arith::mul(x, x));
  return arith::div(arith::mul(x, f.polynomial(square, kAbove)), f.polynomial(square, kBelow));
}

PrimExpr errorFunction(Formula& f, const PrimExpr& given) {
  constexpr double kEnd = 4;
  constexpr std::array kAbove{-2.72614225801306e-10, 2.77068142495902e-08,  -2.10102402082508e-06,
                              -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
                              -1.60960333262415e-02};
  constexpr std::array kBelow{-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                              -7.37332916720468e-03, -1.42647390514189e-02};
  const PrimExpr x = f.named("x", f.bounded(given, -kEnd, kEnd));
  const PrimExpr square = f.named("square", arith::mul(x, x));
  return arith::div(arith::mul(x, f.polynomial(square, kAbove)), f.polynomial(square, kBelow));
}

PrimExpr reciprocalRoot(Formula& f, const PrimExpr& x) {
  return arith::div(f.number(1), lower::intrinsic(x->dtype, "sqrt", {x}));
}

/// Functions that float32 is enough for.
struct SingleRow {
  std::string_view name;
  PrimExpr (*made)(Formula& formula, const PrimExpr& x);
};
constexpr SingleRow kSingle[] = {
    {"exp", exponential}, {"log", logarithm},     {"sigmoid", sigmoid},
    {"tanh", tangent},    {"erf", errorFunction}, {"rsqrt", reciprocalRoot},
};

using Numbers = const TirNumbers&;
using Real = TirReal;

/// Functions that are computed as float64, and rounded to float32 once.
struct WideRow {
  std::string_view name;
  Real (*one)(Numbers, Real) = nullptr;
  Real (*two)(Numbers, Real, Real) = nullptr;
};
constexpr WideRow kWide[] = {
#define RX_ONE(name) {#name, math::name<TirNumbers>, nullptr},
    RX_ONE(exp2) RX_ONE(exp10) RX_ONE(log2) RX_ONE(log10) RX_ONE(log1p) RX_ONE(asin) RX_ONE(acos) RX_ONE(atan)
        RX_ONE(sinh) RX_ONE(cosh) RX_ONE(asinh) RX_ONE(acosh) RX_ONE(atanh)
#undef RX_ONE
            {"sin", math::sinOfSingle<TirNumbers>, nullptr},
    {"cos", math::cosOfSingle<TirNumbers>, nullptr},
    {"tan", math::tanOfSingle<TirNumbers>, nullptr},
    {"pow", nullptr, math::powOfSingle<TirNumbers>},
    {"atan2", nullptr, math::atan2<TirNumbers>},
    {"hypot", nullptr, math::hypot<TirNumbers>},
};

/// Powers that are products: x to the whole number that a call names.
constexpr double kMostProducts = 16;
std::optional<int64_t> wholePower(const tir::Call& call) {
  const auto* power = call.args.size() == 2 ? as<FloatImm>(call.args[1]) : nullptr;
  const bool whole = power && std::trunc(power->value) == power->value && std::abs(power->value) <= kMostProducts;
  return whole ? std::optional(static_cast<int64_t>(power->value)) : std::nullopt;
}
Real powerOf(Numbers o, const Real& x, int64_t power) {
  Real made = o.real(1), factor = x;
  for (int64_t left = std::abs(power); left > 0; left >>= 1) {
    if (left & 1) made = made * factor;
    if (left > 1) factor = factor * factor;
  }
  return power < 0 ? 1.0 / made : made;
}

class MathRewriter : public lower::Rewriter {
 public:
  explicit MathRewriter(bool fused) : fused_(fused) {}

 protected:
  NodeRef leave(const NodeRef& node) override {
    const auto* call = as<tir::Call>(node);
    const bool half = call && (call->dtype == DataType::Float(16) || call->dtype == DataType::BFloat16());
    if (!call || (!half && call->dtype != DataType::Float(32))) return nullptr;
    for (const SingleRow& row : kSingle) {
      if (call->args.size() != 1 || !lower::asCallOf(node, row.name)) continue;
      NamedValues names;
      Formula formula(names, fused_);
      const PrimExpr given = arith::cast(DataType::Float(32), call->args[0]);
      return arith::cast(call->dtype, names.around(row.made(formula, names.named("given", given))));
    }
    if (half) return nullptr;
    for (const WideRow& row : kWide) {
      if (call->args.size() == (row.one ? 1 : 2) && lower::asCallOf(node, row.name)) return wide(row, *call);
    }
    return nullptr;
  }

 private:
  PrimExpr wide(const WideRow& row, const tir::Call& call) const {
    NamedValues names;
    const TirNumbers o(names, fused_);
    const auto given = [&](size_t i) {
      return o.realOf(names.named("given", arith::cast(DataType::Float(64), call.args[i])));
    };
    const auto power = row.name == "pow" ? wholePower(call) : std::nullopt;
    const Real value = power     ? powerOf(o, given(0), *power)
                       : row.one ? row.one(o, given(0))
                                 : row.two(o, given(0), given(1));
    return names.around(arith::cast(DataType::Float(32), value.value));
  }

  bool fused_;
};

}  // namespace

Stmt withVectorMath(const Stmt& statement, bool fused) { return MathRewriter(fused).rewrite(statement); }

}  // namespace rx::schedule
