// Canonicalizer: index expressions as linear sums, everything else as the rewriter has it.
#pragma once

#include <variant>

#include "core/arith/rewriter.h"
#include "core/arith/sums.h"

namespace rx::arith {

class Canonicalizer final : public Rewriter {
 public:
  using Rewriter::Rewriter;
  tir::PrimExpr visit(const tir::PrimExpr& expr) override;
  void forget() override;

 private:
  /// An expression, or one that is still in parts.
  using Form = std::variant<tir::PrimExpr, Term, Sum>;

  CanonExtensions extensions() const override { return {}; }
  Form mutate(const tir::PrimExpr& expr);
  Form mutateNode(const tir::PrimExpr& expr);
  Form mutateSum(const tir::PrimExpr& expr);
  Form mutateProduct(const tir::PrimExpr& expr);
  Form mutateDivision(const tir::PrimExpr& expr);
  Form quotientOfSum(Sum sum, int64_t by, bool floor, const tir::PrimExpr& written);
  Form remainderOfSum(Sum sum, int64_t by, bool floor, const tir::PrimExpr& written);
  std::optional<Form> quotientOfRemainder(const Term& term, int64_t by);
  void addQuotient(Sum& sum, const Sum& rest, int64_t by);
  Form mutateCast(const tir::PrimExpr& expr);
  Form mutateLess(const tir::PrimExpr& expr);

  Term quotient(Term term, int64_t by, bool floor);
  Term remainder(Term term, int64_t by, bool floor);
  bool fits(DataType type, const tir::PrimExpr& value);
  bool castsInside(const Term& term, DataType type);
  bool castsInside(const Sum& sum, DataType type);
  /// 0 <= expr < limit.
  bool isWithin(const tir::PrimExpr& expr, int64_t limit);

  static tir::PrimExpr written(const Form& form);
  static Term asTerm(const Form& form);
  static Sum asSum(const Form& form);
  static Term withRounding(Term term, bool floor);

  NodeCache<Form> forms_;
};

/// Factors of a product, in order; its constants are multiplied into `scale`.
std::vector<tir::PrimExpr> factorsOf(const tir::PrimExpr& product, int64_t& scale);

}  // namespace rx::arith
