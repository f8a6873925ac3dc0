// Conditions as a conjunction of disjunctions: within a disjunction and between disjunctions that differ in one term,
// pairs are simplified. Source of the steps: TVM v0.25 (src/arith/conjunctive_normal_form.cc).
#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/rewriter.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// A disjunction; "false" where empty.
using Chunk = std::vector<PrimExpr>;

/// Conditions grow as the product of their sides: more disjunctions than that stay as they are.
constexpr size_t kMostChunks = 256;

bool contains(const Chunk& chunk, const PrimExpr& expr) {
  return std::ranges::any_of(chunk, [&](const PrimExpr& e) { return sameExpr(e, expr); });
}
bool sameTerms(const Chunk& a, const Chunk& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const PrimExpr& e) { return contains(b, e); });
}

/// The operands of a chain of one operator, in order.
std::vector<PrimExpr> chain(const PrimExpr& expr, Kind op) {
  std::vector<PrimExpr> found, open{expr};
  while (!open.empty()) {
    const PrimExpr next = std::move(open.back());
    open.pop_back();
    if (next->kind() == op) {
      open.push_back(as<BinaryNode>(next)->b);
      open.push_back(as<BinaryNode>(next)->a);
    } else {
      found.push_back(next);
    }
  }
  return found;
}

/// The disjunctions of a condition: (a && b) || c is (a || c) && (b || c). False where there are too many. Recursion
/// goes by the depth of the condition, which is bounded.
bool split(const PrimExpr& expr, std::vector<Chunk>& out) {
  if (isa<And>(expr)) {
    const auto parts = chain(expr, Kind::tir_And);
    return std::ranges::all_of(parts, [&](const PrimExpr& part) { return split(part, out); });
  }
  if (!isa<Or>(expr)) {
    out.push_back({expr});
    return out.size() <= kMostChunks;
  }
  std::vector<Chunk> product{{}};
  for (const PrimExpr& side : chain(expr, Kind::tir_Or)) {
    std::vector<Chunk> chunks, next;
    if (!split(side, chunks) || chunks.size() * product.size() > kMostChunks) return false;
    for (const Chunk& left : product) {
      for (const Chunk& right : chunks) {
        Chunk joined = left;
        for (const PrimExpr& term : right) {
          if (!contains(joined, term)) joined.push_back(term);
        }
        next.push_back(std::move(joined));
      }
    }
    product = std::move(next);
  }
  out.insert(out.end(), product.begin(), product.end());
  return out.size() <= kMostChunks;
}

class AndOfOrs {
 public:
  AndOfOrs(Canon& canon, std::vector<Chunk> chunks) : canon_(canon) {
    for (Chunk& chunk : chunks) {
      const bool known = std::ranges::any_of(chunks_, [&](const Chunk& c) { return sameTerms(c, chunk); });
      if (!known) chunks_.push_back(std::move(chunk));
    }
  }

  PrimExpr simplify() {
    for (Chunk& chunk : chunks_) {
      for (size_t i = 0; i < chunk.size(); ++i) {
        for (size_t j = i + 1; j < chunk.size(); ++j) join(chunk[i], chunk[j], Kind::tir_Or);
      }
    }
    removeConstants();
    for (size_t i = 0; i < chunks_.size(); ++i) {
      for (size_t j = i + 1; j < chunks_.size(); ++j) across(chunks_[i], chunks_[j]);
    }
    removeConstants();
    PrimExpr value = boolImm(true);
    for (const Chunk& chunk : chunks_) {
      PrimExpr any = boolImm(false);
      for (const PrimExpr& term : chunk) any = logicalOr(any, term);
      value = logicalAnd(value, any);
    }
    return value;
  }

 private:
  /// a op b, simplified together, in place of a and b.
  void join(PrimExpr& a, PrimExpr& b, Kind op) {
    const PrimExpr joint = makeBinary(op, a, b), simple = canon_.rewrite(joint);
    if (sameExpr(joint, simple)) return;
    if (simple->kind() == op) {
      a = as<BinaryNode>(simple)->a;
      b = as<BinaryNode>(simple)->b;
    } else {
      a = boolImm(op == Kind::tir_And);
      b = simple;
    }
  }

  void across(Chunk& a, Chunk& b) {
    if (a.size() == 1 && b.size() == 1) return join(a[0], b[0], Kind::tir_And);
    const auto other = [](const Chunk& chunk, const Chunk& than) {
      return std::ranges::find_if(chunk, [&](const PrimExpr& e) { return !contains(than, e); }) - chunk.begin();
    };
    // Who says no more than the other is not needed.
    const auto i = static_cast<size_t>(other(a, b));
    if (i == a.size()) return void(b = {boolImm(true)});
    const auto j = static_cast<size_t>(other(b, a));
    if (j == b.size()) return void(a = {boolImm(true)});
    const auto shared = std::ranges::count_if(b, [&](const PrimExpr& e) { return contains(a, e); });
    if (a.size() != b.size() || static_cast<size_t>(shared) + 1 != a.size()) return;
    // (A || B) && (A || C) is A || (B && C), where A may be taken for false.
    PrimExpr known = boolImm(true);
    for (size_t k = 0; k < a.size(); ++k) {
      if (k != i) known = logicalAnd(known, canon_.simplify(logicalNot(a[k])));
    }
    Canon::Scope scope(canon_, known);
    join(a[i], b[j], Kind::tir_And);
  }

  void removeConstants() {
    for (Chunk& chunk : chunks_) {
      const bool always = std::ranges::any_of(chunk, [](const PrimExpr& e) { return asInt(e) == 1; });
      if (always) {
        chunk = {boolImm(true)};
      } else {
        std::erase_if(chunk, [](const PrimExpr& e) { return asInt(e) == 0; });
      }
    }
    if (std::ranges::any_of(chunks_, &Chunk::empty)) {
      chunks_ = {{}};
    } else {
      std::erase_if(chunks_, [](const Chunk& c) { return c.size() == 1 && asInt(c[0]) == 1; });
    }
  }

  Canon& canon_;
  std::vector<Chunk> chunks_;
};

}  // namespace

PrimExpr simplifyAsAndOfOrs(const PrimExpr& condition, Canon& canon) {
  canon.extensions.andOfOrs = false;
  const PrimExpr simple = canon.simplify(condition);
  std::vector<Chunk> chunks;
  const PrimExpr value = split(simple, chunks) ? AndOfOrs(canon, std::move(chunks)).simplify() : simple;
  canon.extensions.andOfOrs = true;
  return value;
}

}  // namespace rx::arith
