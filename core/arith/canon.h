// Canon: the canonical form of expressions, that of TVM, which passes whose output is compared with TVM's need. What it
// can do is what its rules can do (rules_*.def, the linear form of sums.h); proofs of the Analyzer go further.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/arith/comparisons.h"
#include "core/arith/const_bound.h"
#include "core/arith/effect.h"
#include "core/arith/modular.h"
#include "core/arith/pattern.h"

namespace rx::arith {

/// Steps that are not taken unless asked for.
struct CanonExtensions {
  bool chainInequalities = false;  ///< prove a < c from a < b and b < c
  bool andOfOrs = false;           ///< conditions as a conjunction of disjunctions
  bool branchConstraints = false;  ///< each side of && and || under what the other side says
  bool productAgainstSum = false;  ///< compare (a + b) * c with a * b * d
};

/// More levels of operators than that? A shared part is measured once.
bool isDeeper(const tir::PrimExpr& expr, size_t limit);

class Rewriter;
class Canonicalizer;

/// What is known in one scope of a function, and expressions in canonical form with it. Recursion is bounded: an
/// expression deeper than kMaxDepth keeps its form, and nothing is proven of it.
class Canon final : public RuleFacts {
 public:
  static constexpr size_t kMaxDepth = 400;

  explicit Canon(CallEffect callEffect = effectOfIndexCall);
  ~Canon() override;
  Canon(const Canon&) = delete;
  Canon& operator=(const Canon&) = delete;

  /// Sums in linear form, then the rules, then sums again. The same node where nothing changes.
  tir::PrimExpr simplify(const tir::PrimExpr& expr);
  /// The rules alone.
  tir::PrimExpr rewrite(const tir::PrimExpr& expr);
  /// Sums in linear form alone.
  tir::PrimExpr linear(const tir::PrimExpr& expr);

  bool canProve(const tir::PrimExpr& condition);
  bool canProveEqual(const tir::PrimExpr& a, const tir::PrimExpr& b);
  ConstIntBound boundOf(const tir::PrimExpr& expr) override;
  ModularSet modularOf(const tir::PrimExpr& expr) override;
  bool isAtLeast(const tir::PrimExpr& expr, int64_t value) override;
  bool isBelow(const tir::PrimExpr& expr, int64_t value) override;
  bool isEqual(const tir::PrimExpr& expr, int64_t value) override;
  bool holds(const tir::PrimExpr& condition) override { return canProve(condition); }
  bool writesNothing(const tir::PrimExpr& expr) override;
  bool isPure(const tir::PrimExpr& expr) override { return effectOf(expr, callEffect_) == Effect::Pure; }

  /// `var` lies in [min, min + extent); an extent of 1 binds it to `min`. A later binding of one variable counts.
  void bind(const tir::VarRef& var, const tir::PrimExpr& min, const tir::PrimExpr& extent);
  void bind(const tir::VarRef& var, const tir::PrimExpr& value);
  void setBound(const tir::VarRef& var, ConstIntBound bound);
  /// The value of a dimension: its only variable is not negative.
  void markNonNegative(const tir::PrimExpr& value);

  CanonExtensions extensions;

  /// While it lives, the condition holds. Scopes nest.
  class Scope {
   public:
    /// `derived`: also what bounds of quotients in the condition say about their dividends.
    Scope(Canon& canon, const tir::PrimExpr& condition, bool derived = false);
    ~Scope();
    Scope(Scope&& other) noexcept : canon_(other.canon_), marks_(std::move(other.marks_)) { other.marks_.clear(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Scope& operator=(Scope&&) = delete;

   private:
    friend class Canon;
    struct Mark {
      size_t bounds, modulars, literals, comparisons;
      uint32_t facts;
    };
    Canon& canon_;
    std::vector<Mark> marks_;
  };

 private:
  friend class Rewriter;
  friend class Canonicalizer;
  /// The numbers of the facts that come of a condition: while it is taken in, and then.
  struct Step {
    uint32_t from;
    tir::PrimExpr condition;
    uint32_t entering, entered;
  };
  Step stepBy(const tir::PrimExpr& condition);
  Scope::Mark enter(const tir::PrimExpr& condition);
  void leave(const Scope::Mark& mark);
  /// Results that were remembered hold no more.
  void forget();

  CallEffect callEffect_;
  uint32_t facts_ = 0;      ///< the number of the facts in force: results are remembered by it
  uint32_t lastFacts_ = 0;  ///< numbers are used once
  std::vector<Step> steps_;
  ConstBounds bounds_;
  ModularSets modulars_;
  Comparisons comparisons_;
  std::unordered_map<const tir::Var*, tir::PrimExpr> values_;
  struct Binding {
    tir::VarRef var;
    tir::PrimExpr min, extent;
  };
  std::unordered_map<const tir::Var*, Binding> bindings_;
  std::unique_ptr<Rewriter> rewriter_;
  std::unique_ptr<Canonicalizer> canonicalizer_;
};

}  // namespace rx::arith
