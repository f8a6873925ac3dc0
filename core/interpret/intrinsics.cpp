#include <algorithm>
#include <bit>
#include <cmath>

#include "core/interpret/program.h"
#include "core/tensor/element.h"

namespace rx::interpret {

namespace {

constexpr UnaryRow kUnary[] = {
    {"exp", +[](double x) { return std::exp(x); }},
    {"exp2", +[](double x) { return std::exp2(x); }},
    {"exp10", +[](double x) { return std::pow(10.0, x); }},
    {"erf", +[](double x) { return std::erf(x); }},
    {"tanh", +[](double x) { return std::tanh(x); }},
    {"sigmoid", +[](double x) { return 1.0 / (1.0 + std::exp(-x)); }},
    {"log", +[](double x) { return std::log(x); }},
    {"log2", +[](double x) { return std::log2(x); }},
    {"log10", +[](double x) { return std::log10(x); }},
    {"log1p", +[](double x) { return std::log1p(x); }},
    {"tan", +[](double x) { return std::tan(x); }},
    {"cos", +[](double x) { return std::cos(x); }},
    {"cosh", +[](double x) { return std::cosh(x); }},
    {"sin", +[](double x) { return std::sin(x); }},
    {"sinh", +[](double x) { return std::sinh(x); }},
    {"acos", +[](double x) { return std::acos(x); }},
    {"acosh", +[](double x) { return std::acosh(x); }},
    {"asin", +[](double x) { return std::asin(x); }},
    {"asinh", +[](double x) { return std::asinh(x); }},
    {"atan", +[](double x) { return std::atan(x); }},
    {"atanh", +[](double x) { return std::atanh(x); }},
    {"sqrt", +[](double x) { return std::sqrt(x); }},
    {"rsqrt", +[](double x) { return 1.0 / std::sqrt(x); }},
    {"floor", +[](double x) { return std::floor(x); }},
    {"ceil", +[](double x) { return std::ceil(x); }},
    // Ties to even, as TVM lowers both to nearbyint.
    {"round", +[](double x) { return std::nearbyint(x); }},
    {"nearbyint", +[](double x) { return std::nearbyint(x); }},
    {"trunc", +[](double x) { return std::trunc(x); }},
    {"fabs", +[](double x) { return std::fabs(x); }},
    {"abs", +[](double x) { return std::fabs(x); }},
};

constexpr PairRow kPair[] = {
    {"pow", +[](double x, double y) { return std::pow(x, y); }},
    {"fmod", +[](double x, double y) { return std::fmod(x, y); }},
    {"atan2", +[](double x, double y) { return std::atan2(x, y); }},
    {"hypot", +[](double x, double y) { return std::hypot(x, y); }},
    {"copysign", +[](double x, double y) { return std::copysign(x, y); }},
    {"ldexp", +[](double x, double y) { return std::ldexp(x, static_cast<int>(std::clamp(y, -5000.0, 5000.0))); }},
};

int64_t magnitude(int64_t x, DataType) { return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x; }
int64_t itself(int64_t x, DataType) { return x; }
/// The bits that the type has.
uint64_t bitsOf(int64_t x, DataType type) {
  return static_cast<uint64_t>(x) & (type.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1);
}

constexpr IntUnaryRow kIntUnary[] = {
    {"bitwise_not", +[](int64_t x, DataType) { return ~x; }},
    {"abs", magnitude},
    {"fabs", magnitude},
    {"popcount", +[](int64_t x, DataType type) { return int64_t{std::popcount(bitsOf(x, type))}; }},
    {"clz", +[](int64_t x, DataType type) { return int64_t{std::countl_zero(bitsOf(x, type))} - (64 - type.bits); }},
    {"floor", itself},
    {"ceil", itself},
    {"round", itself},
    {"trunc", itself},
    {"nearbyint", itself},
};

constexpr TestRow kTest[] = {
    {"isnan", +[](double x) { return std::isnan(x); }},
    {"isinf", +[](double x) { return std::isinf(x); }},
    {"isfinite", +[](double x) { return std::isfinite(x); }},
};

}  // namespace

std::span<const UnaryRow> unaryTable() { return kUnary; }
std::span<const PairRow> pairTable() { return kPair; }
std::span<const IntUnaryRow> intUnaryTable() { return kIntUnary; }
std::span<const TestRow> testTable() { return kTest; }

double roundTo(DataType type, double value) {
  if (type == DataType::Float(32)) return static_cast<float>(value);
  if (const FloatFormat* format = smallFloatFormat(type)) return decodeFloat(*format, encodeFloat(*format, value));
  return value;
}

double fusedMultiplyAdd(DataType type, double a, double b, double c) {
  if (type == DataType::Float(32)) return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
  return roundTo(type, std::fma(a, b, c));
}

int64_t wrapTo(DataType type, int64_t value) {
  if (type.isBool()) return value != 0;
  if (type.bits >= 64) return value;
  uint64_t mask = (uint64_t{1} << type.bits) - 1;
  uint64_t low = static_cast<uint64_t>(value) & mask;
  bool negative = type.isInt() && (low >> (type.bits - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

}  // namespace rx::interpret
