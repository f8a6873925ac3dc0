// What an Analyzer knows, shared by the files that implement it.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"

namespace rx::arith {

/// `expr` lies in `bound`, from a constraint in force.
struct Fact {
  tir::PrimExpr expr;
  size_t hash;
  ConstIntBound bound;
};

struct Analyzer::State {
  VarMap values;
  std::unordered_map<const tir::Var*, ConstIntBound> bounds;
  std::unordered_map<const tir::Var*, tir::PrimExpr> below;  ///< var < expr, from symbolic ranges starting at 0
  std::vector<tir::VarRef> kept;
  std::vector<Fact> facts;
  std::vector<tir::PrimExpr> truths;
  struct Mark {
    size_t facts, truths;
  };
  std::vector<Mark> marks;
  /// Only equality is asked for: divisions by what is not known to be positive may be simplified too.
  bool proving = false;
  /// Bounds of nodes under the present facts; the second member keeps the key alive.
  std::unordered_map<const Node*, std::pair<ConstIntBound, tir::PrimExpr>> cache;

  void forget() { cache.clear(); }
  ConstIntBound bound(const tir::PrimExpr& expr);
  void assume(const tir::PrimExpr& condition);
};

/// Range of all values of a type.
ConstIntBound boundOfType(DataType dtype);

/// One node whose children are simplified already, in its canonical form.
tir::PrimExpr simplifyNode(Analyzer::State& state, const tir::PrimExpr& node);
/// Sums, after their leaves were simplified.
tir::PrimExpr simplifyFloorDiv(Analyzer::State& state, const tir::PrimExpr& a, const tir::PrimExpr& b);
tir::PrimExpr simplifyFloorMod(Analyzer::State& state, const tir::PrimExpr& a, const tir::PrimExpr& b);
tir::PrimExpr simplifyProduct(const tir::PrimExpr& a, const tir::PrimExpr& b);
tir::PrimExpr simplifyCompare(Analyzer::State& state, Kind op, const tir::PrimExpr& a, const tir::PrimExpr& b);
/// The whole expression, without native recursion.
tir::PrimExpr simplifyTree(Analyzer::State& state, const tir::PrimExpr& expr);
/// True when both expand to the same polynomial.
bool samePolynomial(const tir::PrimExpr& a, const tir::PrimExpr& b);

}  // namespace rx::arith
