// Solving a comparison for one variable.
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/intervals.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

namespace {

enum class Side : uint8_t { AtLeast, AtMost, Equal };
enum class Sign : uint8_t { Positive, Negative, Other };

size_t occurrences(const PrimExpr& expr, const Var* var) {
  size_t count = 0;
  walk(*expr, Into::Parts, [&](const Node& node) {
    count += &node == var;
    return !isa<Buffer>(&node);
  });
  return count;
}

/// `expr` OP `result`, OP one of >=, <= and ==, on the way to the variable alone.
class Solver {
 public:
  Solver(const VarRef& var, const Domains& hints) : var_(var), hints_(hints) {}

  std::optional<IntSet> run(const PrimExpr& comparison, const Domains& relaxed) {
    if (occurrences(comparison, var_.get()) != 1 || !split(comparison) || !relax(relaxed)) return std::nullopt;
    while (expr_ != PrimExpr(var_)) {
      if (!peel()) return std::nullopt;
    }
    const PrimExpr bound = canon_.simplify(result_);
    return IntSet{side_ == Side::AtMost ? nullptr : bound, side_ == Side::AtLeast ? nullptr : bound};
  }

 private:
  bool has(const PrimExpr& expr) const { return occurrences(expr, var_.get()) > 0; }
  Side mirrored() const {
    return side_ == Side::AtLeast ? Side::AtMost : side_ == Side::AtMost ? Side::AtLeast : side_;
  }

  /// The side with the variable becomes `expr`; strict comparisons become the others.
  bool split(const PrimExpr& comparison) {
    const auto* node = as<BinaryNode>(comparison);
    const Kind op = comparison->kind();
    if (!node || op < Kind::tir_EQ || op > Kind::tir_GE || op == Kind::tir_NE) return false;
    const bool left = has(node->a);
    expr_ = left ? node->a : node->b;
    result_ = left ? node->b : node->a;
    if (op == Kind::tir_EQ) {
      side_ = Side::Equal;
      return true;
    }
    const bool less = op == Kind::tir_LT || op == Kind::tir_LE;
    side_ = less == left ? Side::AtMost : Side::AtLeast;
    if (op == Kind::tir_LT || op == Kind::tir_GT) {
      const PrimExpr one = constantInt(result_->dtype, 1);
      result_ = side_ == Side::AtMost ? sub(result_, one) : add(result_, one);
    }
    return true;
  }

  /// The worst case over the relaxed variables.
  bool relax(const Domains& relaxed) {
    const IntSet a = valuesOf(expr_, relaxed), b = valuesOf(result_, relaxed);
    if (a.isEverything() || b.isEverything()) return false;
    if (side_ == Side::Equal) {
      const auto fixed = [&](const IntSet& i) { return i.min && i.max && canon_.canProve(eq(i.min, i.max)); };
      if (!fixed(a) || !fixed(b)) return false;
    }
    expr_ = side_ == Side::AtLeast ? a.min : a.max;
    result_ = side_ == Side::AtLeast ? b.max : b.min;
    return expr_ && result_ && has(expr_);
  }

  Sign signOf(const PrimExpr& expr) {
    if (expr->dtype.isUInt()) return Sign::Positive;
    const IntSet values = valuesOf(expr, hints_);
    const auto low = values.min ? asInt(canon_.simplify(values.min)) : std::nullopt;
    const auto high = values.max ? asInt(canon_.simplify(values.max)) : std::nullopt;
    if (low && *low > 0) return Sign::Positive;
    return high && *high < 0 ? Sign::Negative : Sign::Other;
  }

  /// Takes the outermost operator to the other side.
  bool peel() {
    const PrimExpr whole = expr_;
    const auto* node = as<BinaryNode>(whole);
    if (!node) return false;
    const bool left = has(node->a);
    const PrimExpr other = left ? node->b : node->a;
    expr_ = left ? node->a : node->b;
    switch (whole->kind()) {
      case Kind::tir_Add:
        result_ = sub(result_, other);
        return true;
      case Kind::tir_Sub:
        if (left) {
          result_ = add(result_, other);
        } else {
          result_ = neg(sub(result_, other));
          side_ = mirrored();
        }
        return true;
      case Kind::tir_Mul:
        return peelProduct(other);
      case Kind::tir_FloorDiv:
        return left && peelQuotient(other);
      default:
        return false;
    }
  }

  bool peelProduct(const PrimExpr& factor) {
    const Sign sign = signOf(factor);
    if (sign == Sign::Other) return false;
    if (sign == Sign::Negative) side_ = mirrored();
    const bool divides = canon_.canProve(eq(floorMod(result_, factor), constantInt(result_->dtype, 0)));
    result_ = floorDiv(result_, factor);
    if (divides || side_ == Side::AtMost) return true;
    if (side_ == Side::Equal) return false;
    result_ = add(result_, constantInt(result_->dtype, 1));
    return true;
  }

  bool peelQuotient(PrimExpr divisor) {
    if (canon_.canProveEqual(divisor, constantInt(divisor->dtype, 0))) return false;
    const Sign sign = signOf(divisor);
    if (sign == Sign::Other) return false;
    if (sign == Sign::Negative) {
      side_ = mirrored();
      divisor = neg(divisor);
      result_ = neg(result_);
    }
    if (side_ == Side::Equal) return false;
    const PrimExpr one = constantInt(divisor->dtype, 1);
    result_ = mul(result_, divisor);
    if (side_ == Side::AtMost) result_ = sub(add(result_, divisor), one);
    if (sign == Sign::Negative) result_ = add(sub(result_, divisor), one);
    return true;
  }

  const VarRef var_;
  const Domains& hints_;
  PrimExpr expr_, result_;
  Side side_ = Side::AtLeast;
  Canon canon_;
};

}  // namespace

std::optional<IntSet> deduceBound(const VarRef& var, const PrimExpr& comparison, const Domains& hints,
                                  const Domains& relaxed) {
  if (isDeeper(comparison, Canon::kMaxDepth)) return std::nullopt;
  return Solver(var, hints).run(comparison, relaxed);
}

}  // namespace rx::arith
