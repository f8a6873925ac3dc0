// The linear form of an index expression: a sum of terms, each a part of an index that quotients and remainders by
// constants took out, and a constant. Source: TVM v0.25 (src/arith/canonical_simplify.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "core/arith/analyzer.h"

namespace rx::arith {

/// ((index mod upper) div lower) * scale.
struct Term {
  static constexpr int64_t kNoUpper = ConstIntBound::kPosInf;
  tir::PrimExpr index;
  DataType dtype;
  int64_t lower = 1;
  int64_t upper = kNoUpper;  ///< a multiple of lower
  int64_t scale = 1;
  bool floor = false;  ///< how quotient and remainder round; of no meaning while there are none

  bool isWhole() const { return lower == 1 && upper == kNoUpper; }
  /// Quotients and remainders of that rounding may be merged with this one's.
  bool agrees(bool otherFloor) const { return floor == otherFloor || isWhole(); }
  bool sameIndex(const Term& other) const;
  /// Written out, times `factor`.
  tir::PrimExpr write(int64_t factor = 1) const;
};

/// A sum of terms and a constant. Terms of one index stand together, larger lower factors first. Coefficients wrap as
/// the types that they are written in do.
struct Sum {
  DataType dtype;
  std::vector<Term> terms;
  int64_t base = 0;

  explicit Sum(DataType type) : dtype(type) {}
  bool isZero() const { return base == 0 && terms.empty(); }
  void add(Term term, int64_t scale);
  void add(const Sum& other, int64_t scale);
  void multiply(int64_t scale);
  /// Every coefficient must be a multiple.
  void divide(int64_t scale);
  /// Written out: positive terms, largest scale first, then a positive constant, then what is subtracted.
  tir::PrimExpr write() const;
};

/// `sum` as what is a multiple of `factor` and the rest.
struct Parts {
  Sum multiple, rest;
};
Parts partsOf(const Sum& sum, int64_t factor);

}  // namespace rx::arith
