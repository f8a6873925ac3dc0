#include "core/lower/exact_arithmetic.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

using namespace tir;

namespace {

using Wide = __int128;

/// What lies between two numbers; of any size.
struct Span128 {
  Wide min = 0, max = 0;
  bool within(const Span128& other) const { return min >= other.min && max <= other.max; }
};

Span128 numbersOf(DataType type) {
  const Wide most = (Wide{1} << (type.isInt() ? type.bits - 1 : type.bits)) - 1;
  return {type.isInt() ? -most - 1 : 0, most};
}

/// What the analyzer knows of it; nothing known is more than any type of up to 64 bits holds.
Span128 boundOf(const PrimExpr& expr, arith::Analyzer& analyzer) {
  const arith::ConstIntBound bound = analyzer.constIntBound(expr);
  const Wide unknown = Wide{1} << 100;
  return {bound.min == arith::ConstIntBound::kNegInf ? -unknown : bound.min,
          bound.max == arith::ConstIntBound::kPosInf ? unknown : bound.max};
}

Span128 hullOf(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

/// The values of the node, its parts being what the analyzer knows of them. Not from what it knows of the node: that
/// takes for granted what is asked here.
Span128 valuesOf(const BinaryNode& node, arith::Analyzer& analyzer) {
  const Span128 a = boundOf(node.a, analyzer), b = boundOf(node.b, analyzer);
  constexpr Wide kMost = Wide{1} << 63;
  switch (node.kind()) {
    case Kind::tir_Add:
      return {a.min + b.min, a.max + b.max};
    case Kind::tir_Sub:
      return {a.min - b.max, a.max - b.min};
    case Kind::tir_Mul:
      if (std::max({-a.min, a.max, -b.min, b.max}) > kMost) return {-kMost * 4, kMost * 4};
      return hullOf({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
    case Kind::tir_Div:
    case Kind::tir_FloorDiv:
      // The one quotient that does not fit is that of the smallest number by -1.
      return b.min <= -1 && b.max >= -1 ? hullOf({a.min, a.max, -a.min, -a.max}) : hullOf({a.min, a.max, 0});
    default:
      return hullOf({0, 0});
  }
}

bool isNumber(DataType type) { return type.isIntegral() && !type.isBool(); }

/// Kinds that are what they are, however their parts came about.
bool isRing(Kind kind) { return kind == Kind::tir_Add || kind == Kind::tir_Sub || kind == Kind::tir_Mul; }

}  // namespace

bool fitsItsType(const ExprNode& node, arith::Analyzer& analyzer) {
  if (!isNumber(node.dtype)) return true;
  if (const auto* binary = as<BinaryNode>(&node)) return valuesOf(*binary, analyzer).within(numbersOf(node.dtype));
  if (const auto* cast = as<Cast>(&node)) {
    return !isNumber(cast->value->dtype) || boundOf(cast->value, analyzer).within(numbersOf(node.dtype));
  }
  // What any other intrinsic gives is a number of its type, and all that is known of it.
  const auto* call = as<Call>(&node);
  return !call || !asCallOf(NodeRef(call), "shift_left");
}

bool arithmeticFits(const PrimExpr& expr, arith::Analyzer& analyzer) {
  bool fits = true;
  walk(*expr, Into::Parts, [&](const Node& node) {
    if (!fits || !isa<ExprNode>(&node) || isa<BufferLoad>(&node)) return false;
    return fits = fitsItsType(static_cast<const ExprNode&>(node), analyzer);
  });
  return fits;
}

bool isExact(const PrimExpr& expr, arith::Analyzer& analyzer) {
  bool exact = true;
  walk(*expr, Into::Parts, [&](const Node& node) {
    if (!exact || !isa<ExprNode>(&node)) return false;
    const auto& part = static_cast<const ExprNode&>(node);
    if (part.dtype.lanes != 1 || isa<BufferLoad>(&node) || isa<Let>(&node)) return exact = false;
    return exact = fitsItsType(part, analyzer);
  });
  return exact;
}

bool isExactIfItFits(const PrimExpr& expr, arith::Analyzer& analyzer) {
  std::vector<PrimExpr> open{expr};
  while (!open.empty()) {
    const PrimExpr part = open.back();
    open.pop_back();
    const auto* binary = as<BinaryNode>(part);
    if (binary && isRing(part->kind()) && part->dtype.lanes == 1) {
      open.push_back(binary->a);
      open.push_back(binary->b);
    } else if (!isa<BufferLoad>(part) && !isExact(part, analyzer)) {
      return false;
    }
  }
  return true;
}

}  // namespace rx::lower
