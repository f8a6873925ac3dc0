// Elementwise operators: unary mathematics, arithmetic with broadcasting, comparisons, where, clip, astype.
#include <cmath>
#include <limits>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;
using tir::IntImm;

bool isConstOne(const PrimExpr& e) { return arith::isOne(e); }

std::optional<Shape> broadcastShape(arith::Analyzer& analyzer, const Shape& a, const Shape& b) {
  Shape out;
  size_t rank = std::max(a.size(), b.size());
  for (size_t i = 0; i < rank; ++i) {
    // Counted from the last dimension.
    PrimExpr x = i < a.size() ? a[a.size() - 1 - i] : nullptr, y = i < b.size() ? b[b.size() - 1 - i] : nullptr;
    if (!x || !y) {
      out.push_back(x ? x : y);
    } else if (analyzer.canProveEqual(x, y)) {
      out.push_back(x);
    } else if (isConstOne(x)) {
      out.push_back(y);
    } else if (isConstOne(y)) {
      out.push_back(x);
    } else if (isa<IntImm>(x) && isa<IntImm>(y)) {
      return std::nullopt;
    } else if (isa<IntImm>(x) || isa<IntImm>(y)) {
      out.push_back(isa<IntImm>(x) ? x : y);
    } else {
      out.push_back(arith::max(x, y));
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

PrimExpr broadcastRead(arith::Analyzer& analyzer, const Tensor& t, const Shape& out, const Indices& indices) {
  Indices own;
  size_t shift = out.size() - t.rank();
  for (size_t i = 0; i < t.rank(); ++i) {
    bool one = isConstOne(t.dim(i)) && !analyzer.canProveEqual(out[shift + i], t.dim(i));
    own.push_back(one ? tir::intImm(0, indices[shift + i]->dtype) : indices[shift + i]);
  }
  return t(own);
}
PrimExpr broadcastRead(arith::Analyzer& analyzer, const Operand& t, const Shape& out, const Indices& indices) {
  return t.isScalar() ? t.scalar : broadcastRead(analyzer, t.tensor, out, indices);
}

Tensor unaryStage(Lowering& l, const Tensor& x, const std::function<PrimExpr(PrimExpr)>& f, std::string name) {
  std::vector<std::string> axes;
  if (name == "compute") axes = {"i"};
  return l.graph.compute(x.dims(), [&](const Indices& i) { return f(x(i)); }, {std::move(name), axes});
}

Tensor binaryStage(Lowering& l, const Operand& a, const Operand& b, Binary f, std::string name) {
  auto shape = broadcastShape(l.analyzer, a.dims(), b.dims());
  RX_ASSERT(shape, "operands of {} do not broadcast", name);
  return l.graph.compute(*shape,
                         [&](const Indices& i) {
                           return f(broadcastRead(l.analyzer, a, *shape, i), broadcastRead(l.analyzer, b, *shape, i));
                         },
                         {std::move(name)});
}

Tensor castStage(Lowering& l, const Tensor& x, DataType dtype, std::string name) {
  return unaryStage(
      l, x, [&](PrimExpr e) { return arith::cast(dtype, std::move(e)); }, std::move(name));
}

namespace {

template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&s)[N]) { std::copy_n(s, N, text); }
};

PrimExpr constantLike(const PrimExpr& x, double value) { return arith::constant(x->dtype, value); }

template <Name kIntrinsic>
PrimExpr mathFn(PrimExpr x) {
  return math(kIntrinsic.text, std::move(x));
}
/// An intrinsic of floating point; integers are their own floor and ceiling.
template <Name kIntrinsic>
PrimExpr roundFn(PrimExpr x) {
  return x->dtype.isIntegral() ? x : math(kIntrinsic.text, std::move(x));
}
PrimExpr absFn(PrimExpr x) {
  if (x->dtype.isFloat()) return math("fabs", x);
  if (!x->dtype.isInt()) return x;
  return arith::select(arith::ge(x, constantLike(x, 0)), x, arith::neg(x));
}
PrimExpr negativeFn(PrimExpr x) { return arith::mul(x, constantLike(x, -1)); }
PrimExpr signFn(PrimExpr x) {
  PrimExpr zero = constantLike(x, 0);
  return arith::select(arith::gt(x, zero), constantLike(x, 1),
                       arith::select(arith::lt(x, zero), constantLike(x, -1), zero));
}
PrimExpr squareFn(PrimExpr x) { return arith::mul(x, x); }
PrimExpr isNanFn(PrimExpr x) {
  if (!x->dtype.isFloat()) return tir::boolImm(false);
  return intrinsic("isnan", DataType::Bool(), {std::move(x)});
}
PrimExpr isInfFn(PrimExpr x) {
  if (!x->dtype.isFloat()) return tir::boolImm(false);
  PrimExpr inf = tir::floatImm(std::numeric_limits<double>::infinity(), x->dtype);
  return arith::logicalAnd(arith::eq(math("fabs", x), inf), arith::logicalNot(isNanFn(x)));
}
PrimExpr isFiniteFn(PrimExpr x) {
  if (!x->dtype.isFloat()) return tir::boolImm(true);
  return arith::logicalAnd(arith::logicalNot(isInfFn(x)), arith::logicalNot(isNanFn(x)));
}
PrimExpr notFn(PrimExpr x) { return arith::logicalNot(std::move(x)); }

/// Operators on which a type has a meaning, whatever their StructInfo rule lets through.
struct TypeRule {
  bool (*takes)(DataType);
  const char* needed;
};
constexpr TypeRule kAnyType{[](DataType) { return true; }, ""};
constexpr TypeRule kBits{[](DataType type) { return type.isIntegral(); }, "integers or booleans are needed"};
constexpr TypeRule kIntegers{[](DataType type) { return type.isIntegral() && !type.isBool(); }, "integers are needed"};
constexpr TypeRule kFloats{[](DataType type) { return type.isFloat(); }, "floats are needed"};
constexpr TypeRule kBooleans{[](DataType type) { return type.isBool(); }, "booleans are needed"};

template <PrimExpr (*F)(PrimExpr), Name kFunction, Name kStage = "compute", const TypeRule& kRule = kAnyType>
Outcome unary(Lowering& l) {
  Tensor x = l.arg(0);
  if (!kRule.takes(x.dtype())) return refuse(l.call, kRule.needed);
  return l.finish(kFunction.text, unaryStage(l, x, F, kStage.text));
}

template <Name kIntrinsic>
PrimExpr pairFn(PrimExpr a, PrimExpr b) {
  arith::matchTypes(a, b);
  DataType type = a->dtype;
  return intrinsic(kIntrinsic.text, type, {std::move(a), std::move(b)});
}
PrimExpr powFn(PrimExpr a, PrimExpr b) { return pairFn<"pow">(std::move(a), std::move(b)); }
PrimExpr floorDivFn(PrimExpr a, PrimExpr b) {
  arith::matchTypes(a, b);
  return a->dtype.isFloat() ? math("floor", arith::div(a, b)) : arith::floorDiv(a, b);
}
PrimExpr floorModFn(PrimExpr a, PrimExpr b) {
  arith::matchTypes(a, b);
  if (!a->dtype.isFloat()) return arith::floorMod(a, b);
  return arith::sub(a, arith::mul(math("floor", arith::div(a, b)), b));
}

/// Constants without dimensions stand in the body; of two the right one.
template <Binary F, Name kFunction, Name kStage, const TypeRule& kRule = kAnyType>
Outcome binary(Lowering& l) {
  PrimExpr right = Lowering::scalarConstant(l.call.args[1]);
  Operand a = l.operand(0, !right);
  Operand b = l.operand(1, true);
  if (a.isScalar() && b.isScalar()) return refuse(l.call, "both operands are numbers");
  if (!kRule.takes(a.dtype()) || !kRule.takes(b.dtype())) return refuse(l.call, kRule.needed);
  if (!broadcastShape(l.analyzer, a.dims(), b.dims())) return refuse(l.call, "the shapes do not broadcast");
  return l.finish(kFunction.text, binaryStage(l, a, b, F, kStage.text));
}

Outcome clip(Lowering& l) {
  Tensor x = l.arg(0);
  PrimExpr low = l.primArg(l.call.args[1]), high = l.primArg(l.call.args[2]);
  if (!low || !high) return refuse(l.call, "the bounds are no numbers");
  auto body = [&](PrimExpr e) {
    return arith::max(arith::min(e, arith::cast(e->dtype, high)), arith::cast(e->dtype, low));
  };
  return l.finish("tir_clip", unaryStage(l, x, body));
}

/// A number of one type as a constant of another; null where the type does not hold it.
relax::Expr constantAs(const PrimExpr& value, DataType type, const relax::StructInfo& info) {
  const auto* real = as<tir::FloatImm>(value);
  const auto whole = tir::asInt(value);
  const double number = real ? real->value : static_cast<double>(*whole);
  auto data = HostTensor::allocate({}, type);
  if (!data) return nullptr;
  if (type.isBool()) {
    (*data)->setInt(0, number != 0);
  } else if (type.isIntegral()) {
    const PrimExpr low = arith::minValue(type), high = arith::maxValue(type);
    const bool fits = std::isfinite(number) && tir::asInt(low) && tir::asInt(high) &&
                      std::trunc(number) >= static_cast<double>(*tir::asInt(low)) &&
                      std::trunc(number) <= static_cast<double>(*tir::asInt(high));
    if (!fits || std::fabs(number) > 0x1p53) return nullptr;
    (*data)->setInt(0, whole.value_or(static_cast<int64_t>(number)));
  } else if (type.isFloat()) {
    (*data)->set(0, number);
  } else {
    return nullptr;
  }
  return make<relax::Constant>(*data, info);
}

Outcome astype(Lowering& l) {
  DataType type = l.dtypeAttr("dtype");
  if (PrimExpr value = Lowering::scalarConstant(l.call.args[0])) {
    if (relax::Expr constant = constantAs(value, type, l.call.sinfo)) return constant;
  }
  return l.finish("cast", castStage(l, l.arg(0), type, "compute"));
}

Outcome where(Lowering& l) {
  Operand c = operandOf(l.arg(0)), a = operandOf(l.arg(1)), b = operandOf(l.arg(2));
  auto inner = broadcastShape(l.analyzer, c.dims(), a.dims());
  auto shape = inner ? broadcastShape(l.analyzer, *inner, b.dims()) : std::nullopt;
  if (!shape) return refuse(l.call, "the shapes do not broadcast");
  auto body = [&](const Indices& i) {
    PrimExpr test = broadcastRead(l.analyzer, c, *shape, i);
    if (test->dtype.isBool()) test = arith::cast(DataType::Int(64), test);
    test = arith::lt(arith::constantInt(test->dtype, 0), test);
    return arith::select(test, broadcastRead(l.analyzer, a, *shape, i), broadcastRead(l.analyzer, b, *shape, i));
  };
  return l.finish("where", l.graph.compute(*shape, body, {"T_where"}));
}

/// log(1 + exp(beta x)) / beta, and x itself above the threshold, where the two are the same.
Outcome softplus(Lowering& l) {
  Tensor x = l.arg(0);
  if (!x.dtype().isFloat()) return refuse(l.call, "floats are needed");
  PrimExpr beta = tir::floatImm(l.floatAttr("beta", 1), x.dtype());
  PrimExpr threshold = tir::floatImm(l.floatAttr("threshold", 20), x.dtype());
  auto body = [&](PrimExpr e) {
    PrimExpr scaled = arith::mul(beta, e);
    PrimExpr soft = arith::div(math("log", arith::add(tir::floatImm(1, e->dtype), math("exp", scaled))), beta);
    return arith::select(arith::gt(scaled, threshold), e, soft);
  };
  return l.finish("softplus", unaryStage(l, x, body));
}

Outcome fma(Lowering& l) {
  Tensor a = l.arg(0), b = l.arg(1), c = l.arg(2);
  Tensor product = binaryStage(l, operandOf(a), operandOf(b), arith::mul, "T_multiply");
  return l.finish("ewise_fma", binaryStage(l, operandOf(product), operandOf(c), arith::add, "T_add"));
}

constexpr LegalizeRow kRows[] = {
    {"relax.abs", unary<absFn, "tir_abs">},
    {"relax.acos", unary<mathFn<"acos">, "tir_acos">},
    {"relax.acosh", unary<mathFn<"acosh">, "tir_acosh">},
    {"relax.asin", unary<mathFn<"asin">, "tir_asin">},
    {"relax.asinh", unary<mathFn<"asinh">, "tir_asinh">},
    {"relax.atan", unary<mathFn<"atan">, "tir_atan">},
    {"relax.atanh", unary<mathFn<"atanh">, "tir_atanh">},
    {"relax.bitwise_not", unary<mathFn<"bitwise_not">, "tir_bitwise_not", "T_bitwise_not", kBits>},
    {"relax.ceil", unary<roundFn<"ceil">, "tir_ceil">},
    {"relax.cos", unary<mathFn<"cos">, "tir_cos">},
    {"relax.cosh", unary<mathFn<"cosh">, "tir_cosh">},
    {"relax.erf", unary<mathFn<"erf">, "erf">},
    {"relax.exp", unary<mathFn<"exp">, "tir_exp">},
    {"relax.floor", unary<roundFn<"floor">, "tir_floor">},
    {"relax.isfinite", unary<isFiniteFn, "tir_isfinite">},
    {"relax.isinf", unary<isInfFn, "tir_isinf">},
    {"relax.isnan", unary<isNanFn, "tir_isnan">},
    {"relax.log", unary<mathFn<"log">, "tir_log">},
    {"relax.logical_not", unary<notFn, "tir_logical_not", "T_logical_not", kBooleans>},
    {"relax.negative", unary<negativeFn, "tir_negative">},
    {"relax.nn.relu", unary<+[](PrimExpr x) { return arith::max(x, constantLike(x, 0)); }, "relu">},
    {"relax.round", unary<roundFn<"round">, "tir_round">},
    {"relax.rsqrt", unary<mathFn<"rsqrt">, "tir_rsqrt">},
    {"relax.sigmoid", unary<mathFn<"sigmoid">, "tir_sigmoid">},
    {"relax.sign", unary<signFn, "tir_sign", "T_sign">},
    {"relax.sin", unary<mathFn<"sin">, "tir_sin">},
    {"relax.sinh", unary<mathFn<"sinh">, "tir_sinh">},
    {"relax.sqrt", unary<mathFn<"sqrt">, "tir_sqrt">},
    {"relax.square", unary<squareFn, "tir_square">},
    {"relax.tan", unary<mathFn<"tan">, "tir_tan">},
    {"relax.tanh", unary<mathFn<"tanh">, "tir_tanh">},
    {"relax.trunc", unary<roundFn<"trunc">, "tir_trunc">},
    {"relax.add", binary<arith::add, "add", "T_add">},
    {"relax.atan2", binary<pairFn<"atan2">, "atan2", "T_atan2", kFloats>},
    {"relax.subtract", binary<arith::sub, "subtract", "T_subtract">},
    {"relax.multiply", binary<arith::mul, "multiply", "T_multiply">},
    {"relax.divide", binary<arith::div, "divide", "T_divide">},
    {"relax.floor_divide", binary<floorDivFn, "floor_divide", "T_floor_divide">},
    {"relax.power", binary<powFn, "power", "T_power", kFloats>},
    {"relax.mod", binary<arith::truncMod, "mod", "T_mod">},
    {"relax.floor_mod", binary<floorModFn, "floor_mod", "T_floor_mod">},
    {"relax.maximum", binary<arith::max, "maximum", "T_maximum">},
    {"relax.minimum", binary<arith::min, "minimum", "T_minimum">},
    {"relax.equal", binary<arith::eq, "equal", "T_equal">},
    {"relax.not_equal", binary<arith::ne, "not_equal", "T_not_equal">},
    {"relax.less", binary<arith::lt, "less", "T_less">},
    {"relax.less_equal", binary<arith::le, "less_equal", "T_less_equal">},
    {"relax.greater", binary<arith::gt, "greater", "T_greater">},
    {"relax.greater_equal", binary<arith::ge, "greater_equal", "T_greater_equal">},
    {"relax.logical_and", binary<arith::logicalAnd, "logical_and", "T_logical_and", kBooleans>},
    {"relax.logical_or", binary<arith::logicalOr, "logical_or", "T_logical_or", kBooleans>},
    {"relax.logical_xor", binary<pairFn<"bitwise_xor">, "logical_xor", "T_logical_xor", kBits>},
    {"relax.bitwise_and", binary<pairFn<"bitwise_and">, "bitwise_and", "T_bitwise_and", kBits>},
    {"relax.bitwise_or", binary<pairFn<"bitwise_or">, "bitwise_or", "T_bitwise_or", kBits>},
    {"relax.bitwise_xor", binary<pairFn<"bitwise_xor">, "bitwise_xor", "T_bitwise_xor", kBits>},
    {"relax.left_shift", binary<pairFn<"shift_left">, "left_shift", "T_left_shift", kIntegers>},
    {"relax.right_shift", binary<pairFn<"shift_right">, "right_shift", "T_right_shift", kIntegers>},
    {"relax.clip", clip},
    {"relax.astype", astype},
    {"relax.where", where},
    {"relax.ewise_fma", fma},
    {"relax.nn.softplus", softplus},
};

}  // namespace

std::span<const LegalizeRow> elementwiseRows() { return kRows; }

}  // namespace rx::legalize
