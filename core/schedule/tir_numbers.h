// Numbers of kernels: the operations that core/tensor/float_functions.h is written over, as expressions of TIR.
#pragma once

#include <utility>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::schedule {

/// Names for values that are used more than once.
class NamedValues {
 public:
  tir::PrimExpr named(const char* name, tir::PrimExpr value);
  /// The value with all names bound around it.
  tir::PrimExpr around(tir::PrimExpr value) const;

 private:
  std::vector<std::pair<tir::VarRef, tir::PrimExpr>> bound_;
};

/// What all of them are: a value, and who names what is made of it.
struct TirValue {
  NamedValues* names = nullptr;
  tir::PrimExpr value;
};
struct TirBool : TirValue {};
struct TirInt : TirValue {
  TirInt made(Kind kind, const tir::PrimExpr& other, bool reversed = false) const;
  TirInt called(std::string_view name, int64_t other) const;
  TirInt called(std::string_view name, const TirInt& other) const;
  TirBool compared(Kind kind, int64_t other) const;
};
struct TirReal : TirValue {
  TirReal made(Kind kind, const tir::PrimExpr& other, bool reversed = false) const;
  TirBool compared(Kind kind, const tir::PrimExpr& other) const;
  TirReal operator-() const;
};

/// A float64, and an int64, as a constant.
tir::PrimExpr tirReal(double value);
tir::PrimExpr tirWhole(int64_t value);

#define RX_TIR_OPERATOR(sign, kind)                                                                  \
  inline TirReal operator sign(const TirReal& a, const TirReal& b) { return a.made(kind, b.value); } \
  inline TirReal operator sign(const TirReal& a, double b) { return a.made(kind, tirReal(b)); }      \
  inline TirReal operator sign(double a, const TirReal& b) { return b.made(kind, tirReal(a), true); }
RX_TIR_OPERATOR(+, Kind::tir_Add)
RX_TIR_OPERATOR(-, Kind::tir_Sub)
RX_TIR_OPERATOR(*, Kind::tir_Mul)
RX_TIR_OPERATOR(/, Kind::tir_Div)
#undef RX_TIR_OPERATOR

inline TirInt operator+(const TirInt& a, const TirInt& b) { return a.made(Kind::tir_Add, b.value); }
inline TirInt operator+(const TirInt& a, int64_t b) { return a.made(Kind::tir_Add, tirWhole(b)); }
inline TirInt operator-(const TirInt& a, const TirInt& b) { return a.made(Kind::tir_Sub, b.value); }
inline TirInt operator-(const TirInt& a, int64_t b) { return a.made(Kind::tir_Sub, tirWhole(b)); }
inline TirInt operator&(const TirInt& a, int64_t b) { return a.called("bitwise_and", b); }
inline TirInt operator<<(const TirInt& a, int64_t b) { return a.called("shift_left", b); }
inline TirInt operator>>(const TirInt& a, int64_t b) { return a.called("shift_right", b); }

#define RX_TIR_COMPARE(sign, kind)                                                                       \
  inline TirBool operator sign(const TirReal& a, const TirReal& b) { return a.compared(kind, b.value); } \
  inline TirBool operator sign(const TirReal& a, double b) { return a.compared(kind, tirReal(b)); }      \
  inline TirBool operator sign(const TirInt& a, int64_t b) { return a.compared(kind, b); }
RX_TIR_COMPARE(<, Kind::tir_LT)
RX_TIR_COMPARE(<=, Kind::tir_LE)
RX_TIR_COMPARE(>, Kind::tir_GT)
RX_TIR_COMPARE(>=, Kind::tir_GE)
RX_TIR_COMPARE(==, Kind::tir_EQ)
#undef RX_TIR_COMPARE

/// The operations, on float64 and int64. Whole numbers go between both as the low bits of 1.5 * 2^52 and them, for
/// which every processor has vectors; they are of at most 2^51.
class TirNumbers {
 public:
  using Real = TirReal;
  using Int = TirInt;
  /// `fused`: with products and sums that round once.
  TirNumbers(NamedValues& names, bool fused) : names_(names), fused_(fused) {}
  TirReal real(double value) const { return realOf(tirReal(value)); }
  TirReal realOf(tir::PrimExpr value) const { return {{&names_, std::move(value)}}; }
  TirInt whole(int64_t value) const { return wholeOf(tirWhole(value)); }
  TirInt wholeOf(tir::PrimExpr value) const { return {{&names_, std::move(value)}}; }
  template <class T>
  T select(const TirBool& condition, const T& yes, const T& no) const {
    return T{{&names_, chosen(condition.value, yes.value, no.value)}};
  }
  TirReal fma(const TirReal& a, const TirReal& b, const TirReal& c) const;
  TirReal sqrt(const TirReal& x) const { return unary("sqrt", x); }
  TirReal abs(const TirReal& x) const { return unary("fabs", x); }
  TirReal rint(const TirReal& x) const { return unary("round", x); }
  TirReal trunc(const TirReal& x) const { return unary("trunc", x); }
  TirReal copysign(const TirReal& x, const TirReal& sign) const;
  TirInt bits(const TirReal& x) const;
  TirReal ofBits(const TirInt& bits) const;
  TirInt toInt(const TirReal& x) const;
  TirReal toReal(const TirInt& x) const;

 private:
  TirReal unary(std::string_view name, const TirReal& x) const;
  tir::PrimExpr chosen(const tir::PrimExpr& condition, const tir::PrimExpr& yes, const tir::PrimExpr& no) const;
  NamedValues& names_;
  bool fused_;
};

}  // namespace rx::schedule
