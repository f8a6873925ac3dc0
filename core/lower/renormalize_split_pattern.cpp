// RenormalizeSplitPattern: quotients of split indices in the form that finds the parts of the split again. Source of
// the rules: TVM v0.25 (src/s_tir/transform/renormalize_split_pattern.cc).
#include <numeric>

#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A constant, or a vector of one constant.
struct Number {
  int64_t value = 0;
  PrimExpr lanes;  ///< null for a scalar
};
std::optional<Number> numberOf(const PrimExpr& expr) {
  if (const auto value = asInt(expr)) return Number{*value, nullptr};
  const auto* spread = as<Broadcast>(expr);
  const auto value = spread ? asInt(spread->value) : std::nullopt;
  if (!value) return std::nullopt;
  return Number{*value, spread->lanes};
}
PrimExpr like(const PrimExpr& expr, int64_t value) {
  const auto* spread = as<Broadcast>(expr);
  return spread ? arith::broadcast(intImm(value, spread->value->dtype), spread->lanes) : intImm(value, expr->dtype);
}

/// x * c + y, or x * c + y + z with `y` the sum of the last two.
struct Scaled {
  PrimExpr x, c, y;
};
std::optional<Scaled> scaledSum(const PrimExpr& expr) {
  const auto scaled = [](const PrimExpr& e) -> const Mul* {
    const auto* product = as<Mul>(e);
    return product && numberOf(product->b) ? product : nullptr;
  };
  const auto* sum = as<Add>(expr);
  if (!sum) return std::nullopt;
  if (const auto* product = scaled(sum->a)) return Scaled{product->a, product->b, sum->b};
  const auto* inner = as<Add>(sum->a);
  const auto* product = inner ? scaled(inner->a) : nullptr;
  if (!product) return std::nullopt;
  return Scaled{product->a, product->b, arith::add(inner->b, sum->b)};
}

class Renormalizer : public Rewriter {
 protected:
  NodeRef enter(const NodeRef& node) override {
    const auto* compare = as<BinaryNode>(node);
    if (!compare) return nullptr;
    // Other comparisons are seen as "less".
    switch (node->kind()) {
      case Kind::tir_LE:
        return rewrite(PrimExpr(make<Not>(arith::lt(compare->b, compare->a))));
      case Kind::tir_GT:
        return rewrite(arith::lt(compare->b, compare->a));
      case Kind::tir_GE:
        return rewrite(PrimExpr(make<Not>(arith::lt(compare->a, compare->b))));
      default:
        return nullptr;
    }
  }

  NodeRef leave(const NodeRef& node) override {
    switch (node->kind()) {
      case Kind::tir_FloorDiv:
        return quotient(*as<BinaryNode>(node), node);
      case Kind::tir_LT: {
        const auto* less = as<BinaryNode>(node);
        const auto limit = asInt(less->b);
        if (!limit || *limit <= 0) return node;
        return again(arith::lt(arith::floorDiv(less->a, less->b), intImm(1, less->b->dtype)));
      }
      case Kind::tir_Not:
        return inverse(*as<Not>(node), node);
      default:
        return node;
    }
  }

  Stmt visit(const Stmt& statement) override {
    const Stmt made = parts(statement);
    const auto* branch = as<IfThenElse>(made);
    const auto decided = branch ? asInt(branch->condition) : std::nullopt;
    if (!decided) return made;
    return *decided ? branch->thenCase : branch->elseCase ? branch->elseCase : seq({});
  }

 private:
  static constexpr int kMaxAgain = 5;

  PrimExpr again(const PrimExpr& expr) {
    if (depth_ >= kMaxAgain) return expr;
    ++depth_;
    const PrimExpr value = rewrite(expr);
    --depth_;
    return value;
  }

  NodeRef quotient(const BinaryNode& node, const NodeRef& same) {
    if (PrimExpr folded = arith::tryFold(Kind::tir_FloorDiv, node.a, node.b)) return folded;
    const auto by = numberOf(node.b);
    if (!by || by->value == 0) return same;
    if (const auto* remainder = as<FloorMod>(node.a)) {
      const auto modulus = numberOf(remainder->b);
      if (!modulus || modulus->value % by->value != 0) return same;
      return again(arith::floorMod(arith::floorDiv(remainder->a, node.b), like(node.b, modulus->value / by->value)));
    }
    const auto sum = scaledSum(node.a);
    if (!sum || by->value < 0) return same;
    const int64_t factor = numberOf(sum->c)->value, common = std::gcd(factor, by->value);
    if (factor <= 0 || common <= 1) return same;
    const PrimExpr scaled = arith::mul(sum->x, like(sum->c, factor / common));
    const PrimExpr rest = arith::floorDiv(sum->y, like(node.b, common));
    return again(arith::floorDiv(arith::add(scaled, rest), like(node.b, by->value / common)));
  }

  NodeRef inverse(const Not& node, const NodeRef& same) {
    const auto* compare = as<BinaryNode>(node.a);
    switch (node.a->kind()) {
      case Kind::tir_Not:
        return as<Not>(node.a)->a;
      case Kind::tir_LE:
        return arith::lt(compare->b, compare->a);
      case Kind::tir_GE:
        return arith::lt(compare->a, compare->b);
      case Kind::tir_LT:
        return arith::le(compare->b, compare->a);
      case Kind::tir_GT:
        return arith::le(compare->a, compare->b);
      default:
        return same;
    }
  }

  int depth_ = 0;
};

}  // namespace

Result<PrimFuncRef> renormalizeSplitPattern(const PrimFuncRef& func, Scope&) {
  return unlessSame(func, withBody(func, Renormalizer().rewrite(func->body)));
}

}  // namespace rx::lower
