// Linear: an integer expression as a sum of scaled terms and a constant. A term is `index mod upper div lower`, so that
// the parts of one index that divisions took apart find each other again.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::arith {

struct Split {
  static constexpr int64_t kNoUpper = std::numeric_limits<int64_t>::max();
  tir::PrimExpr index;
  int64_t lower = 1;
  int64_t upper = kNoUpper;  ///< a multiple of lower
  int64_t scale = 1;
  size_t hash = 0;  ///< of index, commutative over products
};

class Linear {
 public:
  explicit Linear(DataType type) : dtype(type) {}

  DataType dtype;
  std::vector<Split> terms;
  int64_t constant = 0;
  bool overflow = false;  ///< a coefficient left 64 bits; the value is then of no use

  bool isConst() const { return terms.empty(); }
  /// Adds a term; terms of one index stand together, the largest divisor first; equal ones merge.
  void add(Split term);
  void addConst(int64_t value);
  /// Adds expr * scale, taking sums, differences and constant factors apart.
  void addExpr(const tir::PrimExpr& expr, int64_t scale);
  void addLinear(const Linear& other, int64_t scale);
  /// Joins x/c*c + x%c.
  void mergeSplits();
  /// The sum written out: positive terms (largest scale first, then largest divisor), positive constant, then what is
  /// subtracted.
  tir::PrimExpr build();

 private:
  std::unordered_multimap<size_t, uint32_t> byHash_;  ///< used only for long sums
  bool indexed_ = false;
};

/// The factors of a product, outermost left first; the expression itself when it is none.
std::vector<tir::PrimExpr> factorsOf(const tir::PrimExpr& expr);
/// Equal up to the order of factors.
bool sameIndex(const tir::PrimExpr& a, const tir::PrimExpr& b);
size_t indexHash(const tir::PrimExpr& expr);
/// 32- and 64-bit signed scalars: the types in which indices are computed and may be reordered.
bool isIndexType(DataType dtype);
/// The expression as a term: quotients and remainders by constants become lower and upper.
Split splitOf(const tir::PrimExpr& expr, int64_t scale);
/// A term written out, with its scale replaced by `scale`.
tir::PrimExpr splitExpr(const Split& term, int64_t scale);

}  // namespace rx::arith
