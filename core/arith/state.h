// What an Analyzer knows, shared by the files that implement it.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"

namespace rx::arith {

/// Expressions in the order in which they were put, found by structure.
class ExprStack {
 public:
  size_t size() const { return items_.size(); }
  void push(const tir::PrimExpr& expr) {
    const size_t hash = hashExpr(expr);
    places_[hash].push_back(static_cast<uint32_t>(items_.size()));
    items_.emplace_back(expr, hash);
  }
  void resize(size_t size) {
    for (; items_.size() > size; items_.pop_back()) places_[items_.back().second].pop_back();
  }
  /// Calls `visit` with the place of each structurally equal one.
  template <class Visit>
  void find(const tir::PrimExpr& expr, Visit&& visit) const {
    if (items_.empty()) return;
    const auto places = places_.find(hashExpr(expr));
    if (places == places_.end()) return;
    for (uint32_t place : places->second) {
      if (sameExpr(items_[place].first, expr)) visit(place);
    }
  }
  bool contains(const tir::PrimExpr& expr) const {
    bool found = false;
    find(expr, [&](uint32_t) { found = true; });
    return found;
  }

 private:
  std::vector<std::pair<tir::PrimExpr, size_t>> items_;
  std::unordered_map<size_t, std::vector<uint32_t>> places_;
};

struct Analyzer::State {
  VarMap values;
  std::unordered_map<const tir::Var*, ConstIntBound> bounds;
  std::unordered_map<const tir::Var*, tir::PrimExpr> below;  ///< var < expr, from symbolic ranges starting at 0
  std::vector<tir::VarRef> kept;
  ExprStack facts;  ///< expressions that lie in `factBounds`, from constraints in force
  std::vector<ConstIntBound> factBounds;
  ExprStack truths;
  struct Mark {
    size_t facts, truths;
  };
  std::vector<Mark> marks;
  /// Only equality is asked for: divisions by what is not known to be positive may be simplified too.
  bool proving = false;
  /// Bounds of nodes under the present facts; the second member keeps the key alive.
  std::unordered_map<const Node*, std::pair<ConstIntBound, tir::PrimExpr>> cache;

  void forget() { cache.clear(); }
  void addFact(const tir::PrimExpr& expr, ConstIntBound bound) {
    facts.push(expr);
    factBounds.push_back(bound);
  }
  /// What is assumed from here on ends with leave().
  void mark() { marks.push_back({facts.size(), truths.size()}); }
  void leave() {
    facts.resize(marks.back().facts);
    factBounds.resize(marks.back().facts);
    truths.resize(marks.back().truths);
    marks.pop_back();
    forget();
  }
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
