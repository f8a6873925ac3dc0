// core/arith: symbolic integers. Analyzer simplifies, proves and bounds expressions over shape and loop variables;
// fold.h makes expressions with the conversions and constant folding that the operators of TVMScript have; equal.h
// compares and hashes expressions. Nothing recurses on the native stack by the depth of an expression.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// Closed interval of an integer expression; kNegInf and kPosInf mean "not known".
struct ConstIntBound {
  static constexpr int64_t kPosInf = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kNegInf = -kPosInf;
  int64_t min = kNegInf;
  int64_t max = kPosInf;
  bool isConst() const { return min == max; }
  bool operator==(const ConstIntBound&) const = default;
};

/// What is known of the variables of one scope, and the questions that can be asked with it. Cheap to make. An answer
/// is "no" where a proof was not found; no answer is ever wrong for the values that the bindings allow, with the usual
/// assumption that index arithmetic does not overflow its type.
class Analyzer {
 public:
  struct State;
  Analyzer();
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// The canonical form: constants folded, sums of products collected, divisions split by divisibility and bounds,
  /// what the bindings and constraints decide removed. The same node when nothing changes.
  tir::PrimExpr simplify(const tir::PrimExpr& expr);
  /// True when both are equal for all values. Types must be integers, bools, or structurally equal expressions.
  bool canProveEqual(const tir::PrimExpr& a, const tir::PrimExpr& b);
  /// True when the boolean expression holds for all values.
  bool canProve(const tir::PrimExpr& condition);
  bool canProveGreaterEqual(const tir::PrimExpr& expr, int64_t lower);
  bool canProveLess(const tir::PrimExpr& expr, int64_t upper);
  ConstIntBound constIntBound(const tir::PrimExpr& expr);

  /// `var` lies in [min, min + extent). A range of extent 1 binds it to `min`.
  void bind(const tir::VarRef& var, const tir::Range& range);
  /// `var` is this value wherever it occurs.
  void bind(const tir::VarRef& var, const tir::PrimExpr& value);
  /// Narrows the bounds of a variable: shape variables are at least 0 or 1.
  void setBound(const tir::VarRef& var, ConstIntBound bound);
  void markNonNegative(const tir::VarRef& var) { setBound(var, {0, ConstIntBound::kPosInf}); }
  void markPositive(const tir::VarRef& var) { setBound(var, {1, ConstIntBound::kPosInf}); }

  /// While it lives, the analyzer assumes the condition. Scopes nest.
  class Constraint {
   public:
    Constraint(Analyzer& analyzer, const tir::PrimExpr& condition);
    ~Constraint();
    Constraint(const Constraint&) = delete;
    Constraint& operator=(const Constraint&) = delete;

   private:
    Analyzer& analyzer_;
  };

 private:
  std::unique_ptr<State> state_;
};

}  // namespace rx::arith
