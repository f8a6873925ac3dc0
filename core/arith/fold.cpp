#include "core/arith/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/arith/make_node.h"
#include "core/tensor/element.h"

namespace rx::arith {

using namespace tir;

namespace {

/// Whether an integer can be written in the type.
bool fits(DataType type, int64_t value) {
  if (type.isBool()) return value == 0 || value == 1;
  if (type.isUInt()) return value >= 0 && (type.bits >= 63 || value < (int64_t{1} << type.bits));
  if (type.bits == 0 || type.bits >= 64) return type.bits != 0;
  int64_t limit = int64_t{1} << (type.bits - 1);
  return value >= -limit && value < limit;
}

/// A value rounded to its floating-point type.
double rounded(DataType type, double value) {
  if (type.code == TypeCode::Float && type.bits == 64) return value;
  if (type.code == TypeCode::Float && type.bits == 32) return static_cast<float>(value);
  if (const FloatFormat* format = smallFloatFormat(type)) return decodeFloat(*format, encodeFloat(*format, value));
  return value;
}

PrimExpr foldInts(Kind op, DataType type, int64_t a, int64_t b) {
  int64_t r = 0;
  bool logic = false;
  switch (op) {
    case Kind::tir_Add:
      if (__builtin_add_overflow(a, b, &r)) return nullptr;
      break;
    case Kind::tir_Sub:
      if (__builtin_sub_overflow(a, b, &r)) return nullptr;
      break;
    case Kind::tir_Mul:
      if (__builtin_mul_overflow(a, b, &r)) return nullptr;
      break;
    case Kind::tir_Div:
    case Kind::tir_Mod:
    case Kind::tir_FloorDiv:
    case Kind::tir_FloorMod:
      if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return nullptr;
      r = op == Kind::tir_Div        ? a / b
          : op == Kind::tir_Mod      ? a % b
          : op == Kind::tir_FloorDiv ? floorDivInt(a, b)
                                     : floorModInt(a, b);
      break;
    case Kind::tir_Min:
      r = std::min(a, b);
      break;
    case Kind::tir_Max:
      r = std::max(a, b);
      break;
    default:
      logic = true;
      r = op == Kind::tir_EQ    ? a == b
          : op == Kind::tir_NE  ? a != b
          : op == Kind::tir_LT  ? a < b
          : op == Kind::tir_LE  ? a <= b
          : op == Kind::tir_GT  ? a > b
          : op == Kind::tir_GE  ? a >= b
          : op == Kind::tir_And ? (a && b)
                                : (a || b);
  }
  if (logic) return boolImm(r != 0);
  return fits(type, r) ? intImm(r, type) : nullptr;
}

PrimExpr foldFloats(Kind op, DataType type, double a, double b) {
  auto value = [&](double v) { return floatImm(rounded(type, v), type); };
  switch (op) {
    case Kind::tir_Add:
      return value(a + b);
    case Kind::tir_Sub:
      return value(a - b);
    case Kind::tir_Mul:
      return value(a * b);
    case Kind::tir_Div:
      return b == 0 ? nullptr : value(a / b);
    case Kind::tir_FloorDiv:
      return b == 0 ? nullptr : value(std::floor(a / b));
    case Kind::tir_Min:
      return floatImm(std::min(a, b), type);  // one of the two, digits included
    case Kind::tir_Max:
      return floatImm(std::max(a, b), type);
    case Kind::tir_EQ:
      return boolImm(a == b);
    case Kind::tir_NE:
      return boolImm(a != b);
    case Kind::tir_LT:
      return boolImm(a < b);
    case Kind::tir_LE:
      return boolImm(a <= b);
    case Kind::tir_GT:
      return boolImm(a > b);
    case Kind::tir_GE:
      return boolImm(a >= b);
    default:
      return nullptr;
  }
}

bool isNumber(const PrimExpr& e, double value) {
  if (const auto* imm = as<IntImm>(e)) return static_cast<double>(imm->value) == value;
  if (const auto* imm = as<FloatImm>(e)) return imm->value == value;
  return false;
}

/// Neutral and absorbing elements.
PrimExpr foldNeutral(Kind op, const PrimExpr& a, const PrimExpr& b) {
  switch (op) {
    case Kind::tir_Add:
      return isNumber(a, 0) ? b : isNumber(b, 0) ? a : nullptr;
    case Kind::tir_Sub:
      return isNumber(b, 0) ? a : nullptr;
    case Kind::tir_Mul:
      return isNumber(a, 1) || isNumber(b, 0) ? b : isNumber(b, 1) || isNumber(a, 0) ? a : nullptr;
    case Kind::tir_Div:
    case Kind::tir_FloorDiv:
      return isNumber(b, 1) || (isNumber(a, 0) && !isNumber(b, 0)) ? a : nullptr;
    case Kind::tir_Mod:
    case Kind::tir_FloorMod:
      if (!a->dtype.isIntegral()) return nullptr;
      return isNumber(b, 1) ? constantInt(a->dtype, 0) : isNumber(a, 0) && !isNumber(b, 0) ? a : nullptr;
    case Kind::tir_Min:
    case Kind::tir_Max:
      return a == b ? a : nullptr;
    case Kind::tir_And:
      return isNumber(a, 1) || isNumber(b, 0) ? b : isNumber(b, 1) || isNumber(a, 0) ? a : nullptr;
    case Kind::tir_Or:
      return isNumber(a, 1) || isNumber(b, 0) ? a : isNumber(b, 1) || isNumber(a, 0) ? b : nullptr;
    default:
      return nullptr;
  }
}

template <Kind K>
PrimExpr makeKind(PrimExpr a, PrimExpr b) {
  return make<Binary<K>>(std::move(a), std::move(b));
}
using Maker = PrimExpr (*)(PrimExpr, PrimExpr);
constexpr Maker kMakers[] = {
    makeKind<Kind::tir_Add>, makeKind<Kind::tir_Sub>,      makeKind<Kind::tir_Mul>,      makeKind<Kind::tir_Div>,
    makeKind<Kind::tir_Mod>, makeKind<Kind::tir_FloorDiv>, makeKind<Kind::tir_FloorMod>, makeKind<Kind::tir_Min>,
    makeKind<Kind::tir_Max>, makeKind<Kind::tir_EQ>,       makeKind<Kind::tir_NE>,       makeKind<Kind::tir_LT>,
    makeKind<Kind::tir_LE>,  makeKind<Kind::tir_GT>,       makeKind<Kind::tir_GE>,       makeKind<Kind::tir_And>,
    makeKind<Kind::tir_Or>,
};

PrimExpr broadcastTo(PrimExpr e, int16_t lanes) {
  return make<Broadcast>(e, intImm(lanes, DataType::Int(32)), e->dtype.withLanes(lanes));
}

}  // namespace

int64_t floorDivInt(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
int64_t floorModInt(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

bool matchTypes(PrimExpr& a, PrimExpr& b) {
  if (a->dtype == b->dtype) return true;
  PrimExpr x = a, y = b;
  if (x->dtype.lanes == 1 && y->dtype.lanes > 1) x = broadcastTo(x, y->dtype.lanes);
  if (y->dtype.lanes == 1 && x->dtype.lanes > 1) y = broadcastTo(y, x->dtype.lanes);
  DataType l = x->dtype, r = y->dtype;
  if (l.lanes != r.lanes || l.isHandle() || r.isHandle()) return false;
  if (l == r) {
  } else if (l.isFloat() && !r.isFloat()) {
    y = cast(l, y);
  } else if (r.isFloat() && !l.isFloat()) {
    x = cast(r, x);
  } else if (l.isFloat()) {
    if (l.bits == r.bits) return false;
    l.bits < r.bits ? void(x = cast(r, x)) : void(y = cast(l, y));
  } else if (l.isBool() || r.isBool()) {
    l.isBool() ? void(x = cast(r, x)) : void(y = cast(l, y));
  } else if (l.code == r.code || l.bits != r.bits) {
    l.bits < r.bits ? void(x = cast(r, x)) : void(y = cast(l, y));
  } else {
    const auto* signedConst = as<IntImm>(l.isInt() ? x : y);
    DataType unsignedType = l.isUInt() ? l : r, signedType = l.isUInt() ? r : l;
    DataType to = signedConst && signedConst->value >= 0 ? unsignedType : signedType;
    x = cast(to, x);
    y = cast(to, y);
  }
  a = std::move(x);
  b = std::move(y);
  return true;
}

PrimExpr tryFold(Kind op, const PrimExpr& a, const PrimExpr& b) {
  if (const auto* x = as<IntImm>(a)) {
    if (const auto* y = as<IntImm>(b)) {
      if (PrimExpr folded = foldInts(op, a->dtype, x->value, y->value)) return folded;
    }
  } else if (const auto* p = as<FloatImm>(a)) {
    if (const auto* q = as<FloatImm>(b)) {
      if (PrimExpr folded = foldFloats(op, a->dtype, p->value, q->value)) return folded;
    }
  }
  return foldNeutral(op, a, b);
}

PrimExpr makeBinary(Kind op, PrimExpr a, PrimExpr b) {
  RX_ASSERT(op >= Kind::tir_Add && op <= Kind::tir_Or, "kind {} is no binary operator", static_cast<int>(op));
  bool common = matchTypes(a, b);
  RX_ASSERT(common, "no common type of {} and {}", a->dtype.str(), b->dtype.str());
  if (PrimExpr folded = tryFold(op, a, b)) return folded;
  return makeNode(op, std::move(a), std::move(b));
}

PrimExpr makeNode(Kind op, PrimExpr a, PrimExpr b) {
  return kMakers[static_cast<size_t>(op) - static_cast<size_t>(Kind::tir_Add)](std::move(a), std::move(b));
}

PrimExpr add(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Add, std::move(a), std::move(b)); }
PrimExpr sub(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Sub, std::move(a), std::move(b)); }
PrimExpr mul(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Mul, std::move(a), std::move(b)); }
PrimExpr div(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Div, std::move(a), std::move(b)); }
PrimExpr truncDiv(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Div, std::move(a), std::move(b)); }
PrimExpr truncMod(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Mod, std::move(a), std::move(b)); }
PrimExpr floorDiv(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_FloorDiv, std::move(a), std::move(b)); }
PrimExpr floorMod(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_FloorMod, std::move(a), std::move(b)); }
PrimExpr min(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Min, std::move(a), std::move(b)); }
PrimExpr max(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Max, std::move(a), std::move(b)); }
PrimExpr eq(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_EQ, std::move(a), std::move(b)); }
PrimExpr ne(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_NE, std::move(a), std::move(b)); }
PrimExpr lt(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_LT, std::move(a), std::move(b)); }
PrimExpr le(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_LE, std::move(a), std::move(b)); }
PrimExpr gt(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_GT, std::move(a), std::move(b)); }
PrimExpr ge(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_GE, std::move(a), std::move(b)); }
PrimExpr logicalAnd(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_And, std::move(a), std::move(b)); }
PrimExpr logicalOr(PrimExpr a, PrimExpr b) { return makeBinary(Kind::tir_Or, std::move(a), std::move(b)); }
PrimExpr logicalNot(PrimExpr a) {
  if (const auto* imm = as<IntImm>(a)) return boolImm(imm->value == 0);
  return make<Not>(std::move(a));
}
PrimExpr neg(PrimExpr a) {
  PrimExpr zero = a->dtype.isFloat() ? constant(a->dtype, 0) : constantInt(a->dtype, 0);
  return sub(std::move(zero), std::move(a));
}

PrimExpr select(PrimExpr condition, PrimExpr ifTrue, PrimExpr ifFalse) {
  if (const auto* imm = as<IntImm>(condition)) return imm->value ? ifTrue : ifFalse;
  matchTypes(ifTrue, ifFalse);
  return make<Select>(std::move(condition), std::move(ifTrue), std::move(ifFalse));
}

PrimExpr cast(DataType dtype, PrimExpr value) {
  if (value->dtype == dtype) return value;
  if (dtype.lanes == 1 && value->dtype.lanes == 1) {
    if (const auto* imm = as<IntImm>(value)) {
      if (dtype.isFloat()) return constant(dtype, static_cast<double>(imm->value));
      if (dtype.isBool()) return boolImm(imm->value != 0);
      if (fits(dtype, imm->value)) return intImm(imm->value, dtype);
    } else if (const auto* real = as<FloatImm>(value); real && dtype.isFloat()) {
      return constant(dtype, real->value);
    } else if (real && dtype.isInt() && std::abs(real->value) < 0x1p62) {
      int64_t truncated = static_cast<int64_t>(real->value);
      if (fits(dtype, truncated)) return intImm(truncated, dtype);
    }
  } else if (value->dtype.lanes == 1 && dtype.lanes > 1) {
    return broadcastTo(cast(dtype.element(), std::move(value)), dtype.lanes);
  } else if (const auto* broadcast = as<Broadcast>(value); broadcast && dtype.lanes == value->dtype.lanes) {
    return make<Broadcast>(cast(dtype.element(), broadcast->value), broadcast->lanes, dtype);
  } else if (const auto* ramp = as<Ramp>(value); ramp && dtype.lanes == value->dtype.lanes && dtype.isIntegral()) {
    const DataType element = dtype.element();
    return make<Ramp>(cast(element, ramp->base), cast(element, ramp->stride), ramp->lanes, dtype);
  }
  return make<Cast>(dtype, std::move(value));
}

PrimExpr constant(DataType dtype, double value) {
  if (dtype.lanes > 1) return broadcastTo(constant(dtype.element(), value), dtype.lanes);
  // As TVM has it: a constant keeps the digits it was written with, only computed ones are rounded to their type.
  if (dtype.isFloat()) return floatImm(value, dtype);
  return intImm(toInt64(value), dtype);
}
PrimExpr constantInt(DataType dtype, int64_t value) {
  if (dtype.lanes > 1) return broadcastTo(constantInt(dtype.element(), value), dtype.lanes);
  return dtype.isFloat() ? floatImm(static_cast<double>(value), dtype) : intImm(value, dtype);
}

namespace {
double largest(DataType dtype) {
  if (dtype.code == TypeCode::Float && dtype.bits == 64) return std::numeric_limits<double>::max();
  if (dtype.code == TypeCode::Float && dtype.bits == 32) return std::numeric_limits<float>::max();
  if (dtype.code == TypeCode::Float && dtype.bits == 16) return 65504;
  if (dtype.code == TypeCode::BFloat) return bfloatToFloat(0x7f7f);
  if (const FloatFormat* format = smallFloatFormat(dtype)) {
    double best = 0;
    for (uint32_t bits = 0; bits < (uint32_t{1} << format->bits); ++bits) {
      double value = decodeFloat(*format, bits);
      if (std::isfinite(value)) best = std::max(best, value);
    }
    return best;
  }
  return std::numeric_limits<double>::max();
}
}  // namespace

PrimExpr minValue(DataType dtype) {
  if (dtype.isFloat()) return constant(dtype, -largest(dtype));
  if (!dtype.isInt()) return intImm(0, dtype);
  return intImm(dtype.bits >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (dtype.bits - 1)), dtype);
}
PrimExpr maxValue(DataType dtype) {
  if (dtype.isFloat()) return constant(dtype, largest(dtype));
  if (dtype.isBool()) return intImm(1, dtype);
  int bits = dtype.isInt() ? dtype.bits - 1 : dtype.bits;
  return intImm(bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1, dtype);
}

bool isZero(const PrimExpr& e) { return isNumber(e, 0); }
bool isOne(const PrimExpr& e) { return isNumber(e, 1); }

}  // namespace rx::arith
