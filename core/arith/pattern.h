// Patterns: rewriting rules as data. A rule says which expressions it is about, what stands in their place and on what
// condition; rules stand in the tables rules_*.def and one small matcher applies them.
//
// Text of a pattern: TVMScript's operators and min, max, floordiv, floormod, truncdiv, truncmod, select, ramp,
// broadcast over names. x y z b1 b2 s1 s2 lanes stand for any expression, c1 c2 c3 for an integer constant, f1 for a
// float constant; a name that occurs twice stands for structurally equal expressions. Patterns with one result are
// separated by ";". Text of a result: the same, with constants computed (c1 * c2), and zero(x), one(x), true, false,
// base(E), lo(E). Text of a condition: arithmetic of constants as in C, comparisons, && || !, floormod(a, b), and of an
// expression E:
//   lo(E) hi(E)   its constant bounds              exact(E)     both are the same
//   coeff(E) base(E)  E = coeff * k + base          power2(c)    a power of two
//   ge(E, n) lt(E, n) eq(E, n)  provable            prove(E)     provable truth
//   pure(E)   nothing is written when it is evaluated   scaled(E)  a product with a constant
//   vscale(E) depends on the length of scalable vectors  fixed(E)  an integer constant
#pragma once

#include <cstdint>
#include <string_view>

#include "core/arith/analyzer.h"

namespace rx::arith {

/// All values of an expression are coeff * k + base; coeff 0 is a constant, 1 says nothing.
struct ModularSet {
  int64_t coeff = 1;
  int64_t base = 0;
  bool operator==(const ModularSet&) const = default;
};

/// What conditions of rules can ask about expressions.
class RuleFacts {
 public:
  virtual ~RuleFacts() = default;
  virtual ConstIntBound boundOf(const tir::PrimExpr& expr) = 0;
  virtual ModularSet modularOf(const tir::PrimExpr& expr) = 0;
  virtual bool isAtLeast(const tir::PrimExpr& expr, int64_t value) = 0;
  virtual bool isBelow(const tir::PrimExpr& expr, int64_t value) = 0;
  virtual bool isEqual(const tir::PrimExpr& expr, int64_t value) = 0;
  virtual bool holds(const tir::PrimExpr& condition) = 0;
  /// Its value depends on variables alone: it reads and writes no memory.
  virtual bool isPure(const tir::PrimExpr& expr) = 0;
  /// Evaluating it writes nothing.
  virtual bool writesNothing(const tir::PrimExpr& expr) = 0;
};

/// The result of the first rule for the node that applies; null where none does.
struct Rewritten {
  tir::PrimExpr value;
  bool again = false;  ///< the result is to be rewritten once more
};
Rewritten applyRules(const tir::PrimExpr& node, RuleFacts& facts);

}  // namespace rx::arith
