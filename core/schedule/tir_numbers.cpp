#include "core/schedule/tir_numbers.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr DataType kReal = DataType::Float(64), kWord = DataType::Int(64);
/// 1.5 * 2^52: the sum with a whole number has it in its low bits.
constexpr double kRounding = 6755399441055744.0;
constexpr int64_t kRoundingBits = std::bit_cast<int64_t>(kRounding);

PrimExpr ordered(Kind kind, const PrimExpr& a, const PrimExpr& b, bool reversed) {
  return reversed ? arith::makeBinary(kind, b, a) : arith::makeBinary(kind, a, b);
}

}  // namespace

PrimExpr NamedValues::named(const char* name, PrimExpr value) {
  if (isa<Var>(value) || isa<FloatImm>(value) || isa<IntImm>(value)) return value;
  const auto var = make<Var>(Str(name), value->dtype);
  bound_.emplace_back(var, std::move(value));
  return var;
}

PrimExpr NamedValues::around(PrimExpr value) const {
  for (size_t i = bound_.size(); i-- > 0;) value = make<Let>(bound_[i].first, bound_[i].second, std::move(value));
  return value;
}

PrimExpr tirWhole(int64_t value) { return arith::constantInt(kWord, value); }
PrimExpr tirReal(double value) {
  if (std::isfinite(value)) return arith::constant(kReal, value);
  return lower::intrinsic(kReal, "reinterpret", {tirWhole(std::bit_cast<int64_t>(value))});
}

TirInt TirInt::made(Kind kind, const PrimExpr& other, bool reversed) const {
  return {{names, names->named("word", ordered(kind, value, other, reversed))}};
}
TirInt TirInt::called(std::string_view name, int64_t other) const {
  return called(name, TirInt{{names, tirWhole(other)}});
}
TirInt TirInt::called(std::string_view name, const TirInt& other) const {
  return {{names, names->named("word", lower::intrinsic(kWord, name, {value, other.value}))}};
}
TirBool TirInt::compared(Kind kind, int64_t other) const {
  return {{names, arith::makeBinary(kind, value, tirWhole(other))}};
}

TirReal TirReal::made(Kind kind, const PrimExpr& other, bool reversed) const {
  return {{names, names->named("real", ordered(kind, value, other, reversed))}};
}
TirBool TirReal::compared(Kind kind, const PrimExpr& other) const {
  // Whether it is a number is asked in a form that nothing simplifies.
  if (kind == Kind::tir_EQ && value == other) return *this >= -std::numeric_limits<double>::infinity();
  return {{names, arith::makeBinary(kind, value, other)}};
}
TirReal TirReal::operator-() const { return *this * -1.0; }

TirReal TirNumbers::fma(const TirReal& a, const TirReal& b, const TirReal& c) const {
  return fused_ ? realOf(names_.named("real", fusedMultiplyAdd(a.value, b.value, c.value))) : a * b + c;
}

TirReal TirNumbers::copysign(const TirReal& x, const TirReal& sign) const {
  constexpr int64_t kSign = std::numeric_limits<int64_t>::min();
  return ofBits((bits(x) & ~kSign).called("bitwise_or", bits(sign) & kSign));
}

TirInt TirNumbers::bits(const TirReal& x) const {
  return wholeOf(names_.named("word", lower::intrinsic(kWord, "reinterpret", {x.value})));
}
TirReal TirNumbers::ofBits(const TirInt& bits) const {
  return realOf(names_.named("real", lower::intrinsic(kReal, "reinterpret", {bits.value})));
}
TirInt TirNumbers::toInt(const TirReal& x) const { return bits(x + kRounding) - kRoundingBits; }
TirReal TirNumbers::toReal(const TirInt& x) const { return ofBits(x + kRoundingBits) - kRounding; }

TirReal TirNumbers::unary(std::string_view name, const TirReal& x) const {
  return realOf(names_.named("real", lower::intrinsic(kReal, name, {x.value})));
}

PrimExpr TirNumbers::chosen(const PrimExpr& condition, const PrimExpr& yes, const PrimExpr& no) const {
  return names_.named(yes->dtype.isFloat() ? "real" : "word", arith::select(condition, yes, no));
}

}  // namespace rx::schedule
