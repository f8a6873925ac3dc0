#include "core/transform/shape_bounds.h"

#include <unordered_set>
#include <vector>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/attrs.h"
#include "core/ir/reflect.h"

namespace rx::transform {

using tir::PrimExpr;

ShapeBounds::ShapeBounds(const relax::Function& function) {
  auto each = [&](const char* key, auto&& use) {
    const auto* dict = as<ir::DictAttrs>(ir::attrOf(function.attrs, key));
    for (size_t i = 0; dict && i < dict->size(); ++i) {
      if (const auto* value = as<ir::IntAttr>(dict->values[i])) use(bounds_[dict->keys[i].string()], value->value);
    }
  };
  if (const auto* names = as<ir::ArrayAttr>(ir::attrOf(function.attrs, "tir_non_negative_var"))) {
    for (const NodeRef& name : names->items) {
      if (const auto* text = as<ir::StrAttr>(name)) bounds_[text->value.string()].min = 0;
    }
  }
  each("tir_var_upper_bound", [](arith::ConstIntBound& bound, int64_t value) {
    bound.min = std::max<int64_t>(bound.min, 0);
    bound.max = value;
  });
  each("tir_var_lower_bound", [](arith::ConstIntBound& bound, int64_t value) { bound.min = value; });
}

PrimExpr ShapeBounds::upper(const PrimExpr& dim) const {
  if (bounds_.empty() || tir::asInt(dim)) return dim;
  arith::Analyzer analyzer;
  for (const tir::VarRef& var : arith::freeVars(dim)) {
    auto bound = bounds_.find(var->name.string());
    if (bound != bounds_.end()) analyzer.setBound(var, bound->second);
  }
  arith::ConstIntBound bound = analyzer.constIntBound(dim);
  return bound.max == arith::ConstIntBound::kPosInf ? raised(dim, analyzer) : tir::intImm(bound.max);
}

/// The upper end of interval arithmetic with TVM's order of factors: a product has the raised one first.
PrimExpr ShapeBounds::raised(const PrimExpr& dim, arith::Analyzer& analyzer) const {
  std::vector<NodeRef> made;  // keeps what `raised` points to
  std::unordered_set<const Node*> raised;
  bool monotone = true;
  auto raise = [&](PrimExpr expr) -> NodeRef {
    raised.insert(expr.get());
    made.push_back(expr);
    return expr;
  };
  auto variable = [&](const NodeRef& node) -> NodeRef {
    const auto* var = as<tir::Var>(node);
    auto bound = var ? bounds_.find(var->name.string()) : bounds_.end();
    if (bound == bounds_.end() || bound->second.max == arith::ConstIntBound::kPosInf) return nullptr;
    return raise(make<tir::IntImm>(var->dtype, bound->second.max));
  };
  auto product = [&](const PrimExpr& a, const PrimExpr& b) -> NodeRef {
    const bool first = raised.contains(a.get());
    const PrimExpr& factor = first ? b : a;
    monotone = monotone && analyzer.canProveGreaterEqual(factor, 0);
    return raise(first ? arith::mul(a, b) : arith::mul(b, a));
  };
  auto rebuilt = [&](const NodeRef& node) -> NodeRef {
    const auto* binary = as<tir::BinaryNode>(node);
    if (!binary) return node;
    const bool left = raised.contains(binary->a.get()), right = raised.contains(binary->b.get());
    if (!left && !right) return node;
    if (isa<tir::Mul>(node)) return product(binary->a, binary->b);
    if (isa<tir::Add>(node)) return raise(arith::add(binary->a, binary->b));
    monotone = false;
    return node;
  };
  auto result = rx::cast<tir::ExprNode>(rewriteNodes(dim, Into::Parts, variable, rebuilt));
  return monotone ? result : dim;
}

}  // namespace rx::transform
