// Functions of float64 in plain arithmetic, for devices whose vendor's library is not there and for vectors. Each is
// written once, over operations O: numbers of this process (PlainNumbers), to measure it, instructions that compute
// them (core/codegen/code_numbers.h), or expressions of TIR (core/schedule/tir_numbers.h). Nothing branches: a choice
// computes both sides. Those that end in OfSingle take numbers of 24 bits, and are right to more than these.
//
// Largest errors in units of the last place, over random numbers of all sizes (tst_device_math): exp, log, sin, cos,
// atan, erf and pow 1; log10, expm1, asin and hypot 2; tan and acos 3; hyperbolic functions and their inverses 4; fmod
// none. sin, cos and tan of more than kMostAngle are NaN: of such a number no angle is left.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/tensor/element.h"

namespace rx::math {

/// The operations on numbers of this process.
struct PlainNumbers {
  using Real = double;
  using Int = int64_t;
  double real(double value) const { return value; }
  int64_t whole(int64_t value) const { return value; }
  template <class T>
  T select(bool condition, T yes, T no) const {
    return condition ? yes : no;
  }
  double fma(double a, double b, double c) const { return std::fma(a, b, c); }
  double sqrt(double x) const { return std::sqrt(x); }
  double abs(double x) const { return std::abs(x); }
  double rint(double x) const { return std::nearbyint(x); }
  double trunc(double x) const { return std::trunc(x); }
  double copysign(double x, double sign) const { return std::copysign(x, sign); }
  int64_t bits(double x) const { return std::bit_cast<int64_t>(x); }
  double ofBits(int64_t bits) const { return std::bit_cast<double>(bits); }
  int64_t toInt(double x) const { return static_cast<int64_t>(x); }
  double toReal(int64_t x) const { return static_cast<double>(x); }
};

constexpr double kMostAngle = 1099511627776.0;  // 2^40
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979311600, kLn2 = 6.93147180559945286227e-01;
constexpr double kLog2E = 1.44269504088896338700;
/// The first has zeros enough at its end that a whole number of up to 20 bits times it is exact.
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;

/// The first coefficient is that of the highest power.
template <class O>
typename O::Real polynomial(const O& o, typename O::Real x, std::span<const double> coefficients) {
  typename O::Real value = o.real(coefficients[0]);
  for (const double coefficient : coefficients.subspan(1)) value = o.fma(value, x, o.real(coefficient));
  return value;
}

/// x * 2^power, for powers of up to 2044 either way; in two factors, since 2^power may be no number.
template <class O>
typename O::Real scaled(const O& o, typename O::Real x, typename O::Int power) {
  const auto factor = [&](typename O::Int exponent) { return o.ofBits((exponent + 1023) << 52); };
  const typename O::Int half = power >> 1;
  return x * factor(half) * factor(power - half);
}

template <class O>
typename O::Real bounded(const O& o, typename O::Real x, double low, double high) {
  return o.select(x < low, o.real(low), o.select(x > high, o.real(high), x));
}

/// e^x is 2^whole (1 + rest).
template <class O>
struct ExpParts {
  typename O::Int whole;
  typename O::Real rest;
};
template <class O>
ExpParts<O> expParts(const O& o, typename O::Real given) {
  static constexpr std::array kSeries{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                      1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                      1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
  const auto x = bounded(o, given, -746, 710);
  const auto n = o.rint(x * kLog2E);
  const auto r = o.fma(n, o.real(-kLn2Low), o.fma(n, o.real(-kLn2High), x));
  const auto isNumber = given == given;
  const auto rest = o.fma(polynomial(o, r, kSeries), r * r, r);
  return {o.toInt(o.select(isNumber, n, o.real(0))), o.select(isNumber, rest, given)};
}
template <class O>
typename O::Real exp(const O& o, typename O::Real x) {
  const auto parts = expParts(o, x);
  return scaled(o, parts.rest + 1.0, parts.whole);
}
template <class O>
typename O::Real expm1(const O& o, typename O::Real x) {
  const auto parts = expParts(o, x);
  const auto power = scaled(o, o.real(1), parts.whole);
  const auto near = o.fma(parts.rest, power, power - 1.0);
  return o.select(o.abs(x) < 1e-300, x, o.select(x > 700.0, exp(o, x), near));
}
template <class O>
typename O::Real exp2(const O& o, typename O::Real given) {
  const auto x = bounded(o, given, -1080, 1030);
  const auto n = o.rint(x);
  const auto value = scaled(o, exp(o, (x - n) * kLn2), o.toInt(o.select(given == given, n, o.real(0))));
  return o.select(given == given, value, given);
}
template <class O>
typename O::Real exp10(const O& o, typename O::Real given) {
  constexpr double kLog2Of10 = 3.32192809488736218171, kLog10Of2High = 3.01029995663611771306e-01,
                   kLog10Of2Low = 3.69423907715893078616e-13, kLn10 = 2.30258509299404590109;
  const auto x = bounded(o, given, -330, 310);
  const auto n = o.rint(x * kLog2Of10);
  const auto rest = o.fma(n, o.real(-kLog10Of2Low), o.fma(n, o.real(-kLog10Of2High), x));
  const auto value = scaled(o, exp(o, rest * kLn10), o.toInt(o.select(given == given, n, o.real(0))));
  return o.select(given == given, value, given);
}

/// log x is power * log 2 + high + low, of a positive finite number.
template <class O>
struct LogParts {
  typename O::Real power, high, low;
};
template <class O>
LogParts<O> logParts(const O& o, typename O::Real given) {
  static constexpr std::array kSeries{1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                                      2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                                      6.666666666666735130e-01};
  constexpr int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const auto small = given < 2.2250738585072014e-308;
  const auto x = o.select(small, given * 18014398509481984.0, given);
  const auto bits = o.bits(x);
  const auto power = (bits - kRootOfHalf) >> 52;
  const auto m = o.ofBits(bits - (power << 52));
  const auto f = m - 1.0, d = m + 1.0;
  const auto lost = m - (d - 1.0);
  const auto s = f / d;
  const auto missing = (o.fma(-s, d, f) - s * lost) / d;
  const auto z = s * s;
  const auto low = o.fma(s * z, polynomial(o, z, kSeries), missing * 2.0);
  return {o.toReal(power) - o.select(small, o.real(54), o.real(0)), s * 2.0, low};
}
/// log x as a sum: the second is what the first, which is rounded, leaves.
template <class O>
std::array<typename O::Real, 2> logSum(const O& o, typename O::Real x) {
  const auto parts = logParts(o, x);
  const auto large = parts.power * kLn2High;
  const auto sum = large + parts.high;
  const auto back = sum - large;
  const auto rest = (large - (sum - back)) + (parts.high - back) + (parts.low + parts.power * kLn2Low);
  const auto high = sum + rest;
  return {high, rest - (high - sum)};
}
/// What a logarithm is where `value` is it for positive finite numbers.
template <class O>
typename O::Real ofAll(const O& o, typename O::Real x, typename O::Real value) {
  const auto ends = o.select(x == 0.0, o.real(-kInfinity), o.select(x == kInfinity, o.real(kInfinity), value));
  return o.select(x >= 0.0, ends, o.real(kNaN));
}
template <class O>
typename O::Real log(const O& o, typename O::Real x) {
  return ofAll(o, x, logSum(o, x)[0]);
}
template <class O>
typename O::Real log2(const O& o, typename O::Real x) {
  const auto parts = logParts(o, x);
  const auto near = parts.high * kLog2E + parts.low * kLog2E;
  return ofAll(o, x, parts.power + near);
}
template <class O>
typename O::Real log10(const O& o, typename O::Real x) {
  constexpr double kLog10E = 4.34294481903251816668e-01, kHigh = 3.01029995663611771306e-01,
                   kLow = 3.69423907715893078616e-13;
  const auto parts = logParts(o, x);
  return ofAll(o, x,
               o.fma(parts.power, o.real(kHigh), o.fma(parts.power, o.real(kLow), (parts.high + parts.low) * kLog10E)));
}
template <class O>
typename O::Real log1p(const O& o, typename O::Real x) {
  const auto sum = x + 1.0;
  const auto value = log(o, sum) + o.select(sum < kInfinity, (x - (sum - 1.0)) / sum, o.real(0));
  return o.select(o.abs(x) < 1e-18, x, o.select(x == -1.0, o.real(-kInfinity), value));
}

/// The angle less the nearest multiple of a quarter turn, and which one it is (0 to 3).
template <class O>
struct Angle {
  typename O::Real rest;
  typename O::Int quarter;
};
template <class O>
Angle<O> angle(const O& o, typename O::Real x) {
  const auto known = o.abs(x) <= kMostAngle;
  const auto n = o.rint(o.select(known, x, o.real(0)) * (2 / kPi));
  const auto first = o.fma(n, o.real(-1.57079632679489655800e+00), x);
  const auto second = o.fma(n, o.real(-6.12323399573676603587e-17), first);
  const auto rest = o.fma(n, o.real(1.49738490485916983294e-33), second);
  return {o.select(known, rest, o.real(kNaN)), o.toInt(n) & 3};
}
/// The same of a number of 24 bits, of any size: a large one is 2^(26 group) times a whole number, so that multiples of
/// four in 2^(26 group) times 2 / pi are left out. What stays of that is in three parts; the first two, of 28 bits,
/// give exact products.
template <class O>
Angle<O> angleOfSingle(const O& o, typename O::Real x) {
  struct Group {
    double from, scale, parts[3];
  };
  static constexpr std::array<Group, 4> kGroups{{
      {0, 1, {0x1.45f306c000000p-1, 0x1.c9c882c000000p-29, -0x1.ac07b1505c159p-57}},
      {0x1p50, 0x1p-26, {0x1.b939106000000p+0, -0x1.6b01ec4000000p-29, -0x1.4170565911f92p-57}},
      {0x1p76, 0x1p-52, {0x1.529fc28000000p+0, -0x1.505c158000000p-29, -0x1.6447e493ad4cep-57}},
      {0x1p102, 0x1p-78, {0x1.d5f47d4000000p+0, 0x1.a6ee06c000000p-29, 0x1.b14acc9e21c82p-57}},
  }};
  const auto size = o.abs(x);
  const auto chosen = [&](auto number) {
    auto value = o.real(number(kGroups[0]));
    for (size_t i = 1; i < kGroups.size(); ++i)
      value = o.select(size >= kGroups[i].from, o.real(number(kGroups[i])), value);
    return value;
  };
  const auto whole = x * chosen([](const Group& g) { return g.scale; });
  const auto product = [&](size_t part) { return whole * chosen([&](const Group& g) { return g.parts[part]; }); };
  const auto high = product(0), middle = product(1);
  const auto ofHigh = o.rint(high), ofMiddle = o.rint(middle);
  const auto sum = ((high - ofHigh) + (middle - ofMiddle)) + product(2);
  const auto last = o.rint(sum);
  const auto known = size < kInfinity;
  return {(sum - last) * (kPi / 2), o.toInt(o.select(known, ofHigh + ofMiddle + last, o.real(0))) & 3};
}
template <class O>
typename O::Real sineNear(const O& o, typename O::Real x) {
  static constexpr std::array kSeries{1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                      2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                      8.33333333332248946124e-03, -1.66666666666666324348e-01};
  const auto square = x * x;
  return o.fma(square * x, polynomial(o, square, kSeries), x);
}
template <class O>
typename O::Real cosineNear(const O& o, typename O::Real x) {
  static constexpr std::array kSeries{-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                      -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                      -1.38888888888741095749e-03, 4.16666666666666019037e-02};
  const auto square = x * x;
  const auto half = square * 0.5;
  const auto most = o.real(1) - half;
  return most + (((o.real(1) - most) - half) + square * square * polynomial(o, square, kSeries));
}
template <class O>
typename O::Real ofQuarter(const O& o, typename O::Int quarter, typename O::Real sine, typename O::Real cosine) {
  const auto value = o.select((quarter & 1) == 0, sine, cosine);
  return o.select((quarter & 2) == 0, value, -value);
}
template <class O>
typename O::Real sineAt(const O& o, typename O::Real x, const Angle<O>& at) {
  const auto value = ofQuarter(o, at.quarter, sineNear(o, at.rest), cosineNear(o, at.rest));
  return o.select(x == 0.0, x, value);
}
template <class O>
typename O::Real cosineAt(const O& o, const Angle<O>& at) {
  return ofQuarter(o, (at.quarter + 1) & 3, sineNear(o, at.rest), cosineNear(o, at.rest));
}
template <class O>
typename O::Real tangentAt(const O& o, typename O::Real x, const Angle<O>& at) {
  const auto sine = sineNear(o, at.rest), cosine = cosineNear(o, at.rest);
  const auto even = (at.quarter & 1) == 0;
  const auto value = o.select(even, sine, -cosine) / o.select(even, cosine, sine);
  return o.select(x == 0.0, x, value);
}
template <class O>
typename O::Real sin(const O& o, typename O::Real x) {
  return sineAt(o, x, angle(o, x));
}
template <class O>
typename O::Real cos(const O& o, typename O::Real x) {
  return cosineAt(o, angle(o, x));
}
template <class O>
typename O::Real tan(const O& o, typename O::Real x) {
  return tangentAt(o, x, angle(o, x));
}
template <class O>
typename O::Real sinOfSingle(const O& o, typename O::Real x) {
  return sineAt(o, x, angleOfSingle(o, x));
}
template <class O>
typename O::Real cosOfSingle(const O& o, typename O::Real x) {
  return cosineAt(o, angleOfSingle(o, x));
}
template <class O>
typename O::Real tanOfSingle(const O& o, typename O::Real x) {
  return tangentAt(o, x, angleOfSingle(o, x));
}

template <class O>
typename O::Real atan(const O& o, typename O::Real given) {
  static constexpr std::array kSeries{
      1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02, -5.83357013379057348645e-02,
      6.66107313738753120669e-02, -7.69187620504482999495e-02, 9.09088713343650656196e-02, -1.11111104054623557880e-01,
      1.42857142725034663711e-01, -1.99999999998764832476e-01, 3.33333333333329318027e-01};
  /// From `from` on the angle is that of one number, and that of a quotient of two more.
  struct Row {
    double from, above[2], below[2], high, low;
  };
  static constexpr std::array<Row, 4> kRows{{
      {0.4375, {2, -1}, {1, 2}, 4.63647609000806093515e-01, 2.26987774529616870924e-17},
      {0.6875, {1, -1}, {1, 1}, 7.85398163397448278999e-01, 3.06161699786838301793e-17},
      {1.1875, {1, -1.5}, {1.5, 1}, 9.82793723247329054082e-01, 1.39033110312309984516e-17},
      {2.4375, {0, -1}, {1, 0}, 1.57079632679489655800e+00, 6.12323399573676603587e-17},
  }};
  const auto x = o.abs(given);
  auto above = x, below = o.real(1), high = o.real(0), low = o.real(0);
  for (const Row& row : kRows) {
    const auto here = x >= row.from;
    const auto line = [&](const double(&c)[2]) {
      return c[0] == 0 ? o.real(c[1]) : o.fma(x, o.real(c[0]), o.real(c[1]));
    };
    above = o.select(here, line(row.above), above);
    below = o.select(here, line(row.below), below);
    high = o.select(here, o.real(row.high), high);
    low = o.select(here, o.real(row.low), low);
  }
  const auto t = above / below;
  const auto square = t * t;
  const auto rest = low - t * square * polynomial(o, square, kSeries);
  return o.copysign(high + (t + rest), given);
}
template <class O>
typename O::Real atan2(const O& o, typename O::Real y, typename O::Real x) {
  const auto up = o.abs(y), along = o.abs(x);
  const auto ratio = o.select(up == along, o.select(up == 0.0, up, o.real(1)), up / along);
  const auto first = atan(o, ratio);
  const auto value = o.select(o.bits(x) < 0, (o.real(kPi) - first) + 1.2246467991473532e-16, first);
  const auto known = o.copysign(value, y);
  return o.select(x == x, o.select(y == y, known, y), x);
}
template <class O>
typename O::Real asin(const O& o, typename O::Real x) {
  return o.select(o.abs(x) <= 1.0, atan2(o, x, o.sqrt((o.real(1) - x) * (x + 1.0))), o.real(kNaN));
}
template <class O>
typename O::Real acos(const O& o, typename O::Real x) {
  return o.select(o.abs(x) <= 1.0, atan2(o, o.sqrt(o.real(1) - x), o.sqrt(x + 1.0)) * 2.0, o.real(kNaN));
}

template <class O>
typename O::Real sinh(const O& o, typename O::Real given) {
  const auto x = o.abs(given);
  const auto e = expm1(o, x), half = exp(o, x * 0.5);
  const auto value = o.select(x > 40.0, half * 0.5 * half, (e + e / (e + 1.0)) * 0.5);
  return o.copysign(o.select(x < 1e-9, x, value), given);
}
template <class O>
typename O::Real cosh(const O& o, typename O::Real given) {
  const auto x = o.abs(given);
  const auto e = exp(o, x), half = exp(o, x * 0.5);
  return o.select(x > 40.0, half * 0.5 * half, (e + o.real(1) / e) * 0.5);
}
template <class O>
typename O::Real tanh(const O& o, typename O::Real given) {
  const auto x = o.abs(given);
  const auto e = expm1(o, bounded(o, x, 0, 30) * 2.0);
  return o.copysign(e / (e + 2.0), given);
}
template <class O>
typename O::Real asinh(const O& o, typename O::Real given) {
  const auto x = o.abs(given);
  const auto near = log1p(o, x + x * x / (o.sqrt(o.fma(x, x, o.real(1))) + 1.0));
  return o.copysign(o.select(x > 1e9, log(o, x) + kLn2, near), given);
}
template <class O>
typename O::Real acosh(const O& o, typename O::Real x) {
  const auto over = x - 1.0;
  const auto near = log1p(o, over + o.sqrt(over * 2.0 + over * over));
  return o.select(x >= 1.0, o.select(x > 1e9, log(o, x) + kLn2, near), o.real(kNaN));
}
template <class O>
typename O::Real atanh(const O& o, typename O::Real given) {
  const auto x = o.abs(given);
  const auto value = log1p(o, x * 2.0 / (o.real(1) - x)) * 0.5;
  return o.copysign(o.select(x == 1.0, o.real(kInfinity), value), given);
}

/// By pieces: quotients of polynomials, from 1.25 on with an exponential before them.
template <class O>
typename O::Real erf(const O& o, typename O::Real given) {
  static constexpr std::array kNearAbove{-2.37630166566501626084e-05, -5.77027029648944159157e-03,
                                         -2.84817495755985104766e-02, -3.25042107247001499370e-01,
                                         1.28379167095512558561e-01};
  static constexpr std::array kNearBelow{-3.96022827877536812320e-06, 1.32494738004321644526e-04,
                                         5.08130628187576562776e-03,  6.50222499887672944485e-02,
                                         3.97917223959155352819e-01,  1.0};
  static constexpr std::array kMidAbove{
      -2.16637559486879084300e-03, 3.54783043256182359371e-02, -1.10894694282396677476e-01, 3.18346619901161753674e-01,
      -3.72207876035701323847e-01, 4.14856118683748331666e-01, -2.36211856075265944077e-03};
  static constexpr std::array kMidBelow{1.19844998467991074170e-02,
                                        1.36370839120290507362e-02,
                                        1.26171219808761642112e-01,
                                        7.18286544141962662868e-02,
                                        5.40397917702171048937e-01,
                                        1.06420880400844228286e-01,
                                        1.0};
  static constexpr std::array kFarAbove{-9.81432934416914548592e+00, -8.12874355063065934246e+01,
                                        -1.84605092906711035994e+02, -1.62396669462573470355e+02,
                                        -6.23753324503260060396e+01, -1.05586262253232909814e+01,
                                        -6.93858572707181764372e-01, -9.86494403484714822705e-03};
  static constexpr std::array kFarBelow{
      -6.04244152148580987438e-02, 6.57024977031928170135e+00, 1.08635005541779435134e+02,
      4.29008140027567833386e+02,  6.45387271733267880336e+02, 4.34565877475229228821e+02,
      1.37657754143519042600e+02,  1.96512716674392571292e+01, 1.0};
  static constexpr std::array kLastAbove{-4.83519191608651397019e+02, -1.02509513161107724954e+03,
                                         -6.37566443368389627722e+02, -1.60636384855821916062e+02,
                                         -1.77579549177547519889e+01, -7.99283237680523006574e-01,
                                         -9.86494292470009928597e-03};
  static constexpr std::array kLastBelow{
      -2.24409524465858183362e+01, 4.74528541206955367215e+02, 2.55305040643316442583e+03, 3.19985821950859553908e+03,
      1.53672958608443695994e+03,  3.25792512996573918826e+02, 3.03380607434824582924e+01, 1.0};
  constexpr double kMidValue = 8.45062911510467529297e-01;
  const auto x = bounded(o, o.abs(given), 0, 6);
  const auto quotient = [&](const auto& at, const auto& above, const auto& below) {
    return polynomial(o, at, above) / polynomial(o, at, below);
  };
  const auto square = x * x;
  const auto near = o.fma(x, quotient(square, kNearAbove, kNearBelow), x);
  const auto mid = quotient(x - 1.0, kMidAbove, kMidBelow) + kMidValue;
  const auto inverse = o.real(1) / bounded(o, square, 1, 36);
  const auto tail =
      o.select(x < 1 / 0.35, quotient(inverse, kFarAbove, kFarBelow), quotient(inverse, kLastAbove, kLastBelow));
  const auto far = o.real(1) - exp(o, tail - square - 0.5625) / bounded(o, x, 1, 6);
  const auto value = o.select(x < 0.84375, near, o.select(x < 1.25, mid, far));
  return o.select(given == given, o.copysign(value, given), given);
}

template <class O>
typename O::Real hypot(const O& o, typename O::Real a, typename O::Real b) {
  const auto x = o.abs(a), y = o.abs(b);
  const auto larger = o.select(x > y, x, y), smaller = o.select(x > y, y, x);
  const auto ratio = smaller / larger;
  const auto value = o.select(larger == 0.0, larger, larger * o.sqrt(o.fma(ratio, ratio, o.real(1))));
  const auto infinite = o.select(x == kInfinity, x, y);
  return o.select(infinite == kInfinity, infinite, o.select(x == x, o.select(y == y, value, y), x));
}

/// |x|^y by the sum that log x is, so that the last places of a large exponent are right.
template <class O>
typename O::Real powerOfPositive(const O& o, typename O::Real x, typename O::Real y) {
  const auto sum = logSum(o, x);
  const auto exponent = y * sum[0];
  const auto rest = o.fma(y, sum[0], -exponent) + y * sum[1];
  const auto value = exp(o, exponent);
  const auto near = o.select(o.abs(exponent) < 800.0, o.fma(value, rest, value), value);
  const auto finite = o.select(value == kInfinity, value, near);
  const auto grows = o.select(y > 0.0, o.real(kInfinity), o.real(0));
  const auto shrinks = o.select(y > 0.0, o.real(0), o.real(kInfinity));
  return o.select(x == kInfinity, grows, o.select(x == 0.0, shrinks, o.select(x == 1.0, o.real(1), finite)));
}
/// x^y where `value` is |x|^y.
template <class O>
typename O::Real ofSign(const O& o, typename O::Real x, typename O::Real y, typename O::Real value) {
  const auto whole = o.trunc(y) == y;
  const auto half = y * 0.5;
  const auto odd = o.select(whole, o.select(o.trunc(half) == half, o.whole(0), o.whole(1)), o.whole(0));
  const auto minus = o.select(o.bits(x) < 0, o.select(odd == 1, -value, value), value);
  const auto broken = o.select(x < 0.0, o.select(x == -kInfinity, minus, o.select(whole, minus, o.real(kNaN))), minus);
  const auto numbers = o.select(x == x, o.select(y == y, broken, y), x);
  return o.select(y == 0.0, o.real(1), o.select(x == 1.0, o.real(1), numbers));
}
template <class O>
typename O::Real pow(const O& o, typename O::Real x, typename O::Real y) {
  return ofSign(o, x, y, powerOfPositive(o, o.abs(x), y));
}
template <class O>
typename O::Real powOfSingle(const O& o, typename O::Real x, typename O::Real y) {
  const auto size = o.abs(x);
  return ofSign(o, x, y, o.select(size == 1.0, o.real(1), exp2(o, y * log2(o, size))));
}

/// The remainder of a division that rounds towards zero, exact where the quotient is a number of this type, else NaN:
/// each step takes what a quotient of 53 bits says, which may be too much by its last place; what is left below zero
/// gets one divisor back at the end.
template <class O>
typename O::Real fmod(const O& o, typename O::Real x, typename O::Real y) {
  constexpr int kSteps = 20;
  const auto size = o.abs(y);
  auto left = o.abs(x);
  for (int step = 0; step < kSteps; ++step) left = o.fma(-o.trunc(left / size), size, left);
  left = o.select(left < 0.0, left + size, left);
  const auto known = o.select(size == kInfinity, o.abs(x), left);
  const auto finite = o.abs(x) < kInfinity;
  const auto value = o.select(finite, o.copysign(known, x), o.real(kNaN));
  return o.select(size > 0.0, value, o.real(kNaN));
}

/// x * 2^power, rounded once where the result is normal.
template <class O>
typename O::Real ldexp(const O& o, typename O::Real x, typename O::Int power) {
  const auto low = o.select(power < -2044, o.whole(-2044), power);
  return scaled(o, x, o.select(low > 2044, o.whole(2044), low));
}

/// What the bits of a float of up to 16 bits stand for (core/tensor/element.h).
template <class O>
typename O::Real decoded(const O& o, const FloatFormat& format, typename O::Int bits) {
  using Special = FloatFormat::Special;
  const int e = format.exponentBits, m = format.mantissaBits;
  const int64_t all = (int64_t{1} << (e + m)) - 1, infinity = ((int64_t{1} << e) - 1) << m;
  const int64_t largest = format.special == Special::Ieee     ? infinity - 1
                          : format.special == Special::Finite ? all - 1
                                                              : all;
  const auto magnitude = bits & all, exponent = magnitude >> m;
  const auto fraction = magnitude & ((int64_t{1} << m) - 1);
  const auto tiny = exponent < (m == 0 ? 0 : 1);
  const auto digits = o.toReal(o.select(tiny, fraction, fraction + (int64_t{1} << m)));
  auto value = scaled(o, digits, o.select(tiny, o.whole(1), exponent) - (format.bias + m));
  const auto beyond =
      o.select(magnitude == infinity, o.real(format.special == Special::Ieee ? kInfinity : kNaN), o.real(kNaN));
  value = o.select(magnitude > largest, beyond, value);
  if (!format.hasSign) return value;
  const auto minus = bits > all;
  const auto negative = format.special == Special::Unsigned0 ? o.select(magnitude == 0, o.real(kNaN), -value) : -value;
  return o.select(minus, negative, value);
}

/// The bits of what is nearest to a float32; of two the even one.
template <class O>
typename O::Int encoded(const O& o, const FloatFormat& format, typename O::Real value) {
  using Special = FloatFormat::Special;
  const int e = format.exponentBits, m = format.mantissaBits;
  const Special special = format.special;
  const int64_t all = (int64_t{1} << (e + m)) - 1, minus = format.hasSign ? all + 1 : 0;
  const int64_t infinity = ((int64_t{1} << e) - 1) << m;
  const int64_t largest = special == Special::Ieee ? infinity - 1 : special == Special::Finite ? all - 1 : all;
  const int64_t none = special == Special::Ieee     ? infinity | (m > 0 ? int64_t{1} << (m - 1) : 0)
                       : special == Special::Finite ? all
                                                    : minus;
  const int64_t overflow = special == Special::Ieee ? infinity : special == Special::Unsigned0 ? minus : all;
  const auto negative = o.bits(value) < 0;
  const auto bit = o.select(negative, o.whole(minus), o.whole(0));
  const auto size = o.abs(value);
  const auto own = (o.bits(size) >> 52) - 1023;
  const int64_t lowest = (m == 0 ? 0 : 1) - format.bias;
  const auto scale = o.select(own < lowest, o.whole(lowest), own);
  const auto digits =
      o.toInt(o.rint(scaled(o, bounded(o, o.select(size == size, size, o.real(0)), 0, 1e300), o.whole(m) - scale)));
  const int64_t one = int64_t{1} << m;
  const auto carries = digits >= 2 * one;
  const auto exponent = scale + format.bias + o.select(carries, o.whole(1), o.whole(0));
  const auto fraction = o.select(carries, digits >> 1, digits) - one;
  const auto normal = m == 0 ? exponent : (exponent << m) + fraction;
  const auto code = m == 0 ? normal : o.select(digits < one, digits, normal);
  const auto tooLarge = special == Special::Unsigned0 ? o.whole(none) : bit | overflow;
  auto made = o.select(code > largest, tooLarge, bit | code);
  if (special == Special::Unsigned0) made = o.select(code == 0, o.whole(0), made);
  made = o.select(size == kInfinity, special == Special::Unsigned0 ? o.whole(none) : bit | overflow, made);
  if (!format.hasSign) made = o.select(negative, o.select(size == 0.0, o.whole(0), o.whole(none)), made);
  return o.select(size == size, made, o.whole(none));
}

}  // namespace rx::math
