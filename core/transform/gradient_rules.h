// The gradients of operators: a column beside the operator table. Which expressions they are follows TVM, so that both
// give the same functions.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/build/block_builder.h"
#include "core/op/make_call.h"

namespace rx::transform {

/// Emits nested expressions: one that is used in several places is computed once, where it is needed first.
class SharedNormalizer {
 public:
  explicit SharedNormalizer(build::BlockBuilder& builder) : builder_(builder) {}
  /// The expression over variables; what nests in it is emitted.
  relax::Expr normal(const relax::Expr& expr);
  op::InferContext& context() { return builder_.context(); }

 private:
  relax::Expr argument(const relax::Expr& expr);

  build::BlockBuilder& builder_;
  std::unordered_map<const Node*, std::pair<relax::Expr, relax::Expr>> emitted_;  ///< kept alive, with its variable
};

/// A call whose result has an adjoint.
struct GradientQuery {
  const relax::Expr& value;  ///< its result, as a variable
  const relax::Call& call;   ///< with arguments that have StructInfo
  const relax::Expr& grad;   ///< the adjoint of the result
  SharedNormalizer& normalizer;
};

/// The adjoints that the arguments get of it; null for an argument without one. Calls in them nest, and have
/// StructInfo.
using Partials = std::vector<relax::Expr>;
using GradientRule = Result<Partials> (*)(const GradientQuery& query);
struct GradientRow {
  std::string_view op;
  GradientRule rule;
};
std::span<const GradientRow> allGradientRows();
/// The rule of an operator, or null where it has no gradient.
GradientRule gradientRule(std::string_view op);

/// A call with StructInfo; fails where it can not be deduced.
class GradientMaker {
 public:
  explicit GradientMaker(const GradientQuery& query) : query_(query) {}

  relax::Expr call(std::string_view op, std::vector<relax::Expr> args, std::initializer_list<op::Keyword> attrs = {});
  relax::Expr add(const relax::Expr& a, const relax::Expr& b) { return call("relax.add", {a, b}); }
  relax::Expr sub(const relax::Expr& a, const relax::Expr& b) { return call("relax.subtract", {a, b}); }
  relax::Expr mul(const relax::Expr& a, const relax::Expr& b) { return call("relax.multiply", {a, b}); }
  relax::Expr div(const relax::Expr& a, const relax::Expr& b) { return call("relax.divide", {a, b}); }
  relax::Expr neg(const relax::Expr& a) { return call("relax.negative", {a}); }
  relax::Expr where(const relax::Expr& condition, const relax::Expr& a, const relax::Expr& b) {
    return call("relax.where", {condition, a, b});
  }
  relax::Expr sum(const relax::Expr& a, NodeRef axis, bool keepdims);
  relax::Expr axisCall(std::string_view op, const relax::Expr& a, std::vector<int64_t> axes);
  /// A scalar of the type of a tensor.
  relax::Expr scalar(double value, const relax::Expr& like);
  relax::Expr shapeOf(const relax::Expr& tensor);
  std::vector<tir::PrimExpr> dimsOf(const relax::Expr& tensor);
  /// A dimension as a number; what is no number is a failure.
  int64_t number(const tir::PrimExpr& dim);
  /// Summed down to the shape of `like` where it has another.
  relax::Expr fit(const relax::Expr& grad, const relax::Expr& like);

  const relax::Expr& arg(size_t index) const { return query_.call.args[index]; }
  void refuse(std::string_view why);
  /// The partials, or why one could not be made.
  Result<Partials> done(Partials partials) const;

 private:
  const GradientQuery& query_;
  std::vector<Diagnostic> problems_;
};

std::span<const GradientRow> elementwiseGradients();
std::span<const GradientRow> tensorGradients();
std::span<const GradientRow> nnGradients();

}  // namespace rx::transform
