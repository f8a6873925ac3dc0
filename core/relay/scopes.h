// Where the nodes of a graph are computed: the innermost block that holds all their uses.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

/// Scopes of a graph, a tree: branches, clauses, bodies of functions and what a `let` binds open one each.
class Scopes {
 public:
  explicit Scopes(const Expr& root);

  /// Whether the expression was met: patterns are not, and variables where they are used or bound otherwise.
  bool has(const Expr& expr) const { return nodeOf_.contains(expr.get()); }
  /// The scope in which an expression is computed.
  size_t of(const Expr& expr) const { return scopeOf_[nodeOf_.at(expr.get())]; }
  /// The scope that the i-th block of an expression opens: branches, clauses, the body of a function or a `let`.
  size_t block(const Expr& expr, size_t i) const { return scopeOf_[blocks_.at(expr.get())[i]]; }
  /// Whether the expression is used in a deeper scope first than that in which it has to be computed.
  bool isLifted(const Expr& expr) const { return lifted_.contains(expr.get()); }
  size_t count() const { return scopes_.size(); }
  /// Whether a scope is another one, or lies in it.
  bool isInside(size_t scope, size_t outer) const {
    return common(static_cast<uint32_t>(scope), static_cast<uint32_t>(outer)) == outer;
  }
  /// The scope around one; of the outermost one itself.
  size_t parent(size_t scope) const { return scopes_[scope].parent; }

 private:
  struct DependencyNode {
    Expr expr;  ///< null: a block
    bool opensScope;
    std::vector<uint32_t> users;
  };
  struct Scope {
    uint32_t level;
    uint32_t parent;
    uint32_t jump;  ///< an ancestor farther up, so that going up takes logarithmic time
  };
  struct Step {
    uint32_t user;
    Expr used;  ///< null: `block` is used
    uint32_t block;
  };
  struct Frame {
    Expr expr;
    std::vector<Step> steps;
    size_t next = 0;
    bool linkAtEnd = false;
  };

  uint32_t node(const Expr& expr);
  uint32_t newBlock(const Expr& owner, std::vector<Step>& steps);
  std::vector<Step> stepsOf(const Expr& expr, uint32_t self);
  void collect(const Expr& root);
  void place();
  uint32_t openScope(uint32_t parent);
  uint32_t common(uint32_t a, uint32_t b) const;

  std::vector<DependencyNode> nodes_;
  std::vector<uint32_t> order_;  ///< users after what they use
  std::unordered_map<const Node*, uint32_t> nodeOf_;
  std::unordered_map<const Node*, std::vector<uint32_t>> blocks_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> scopeOf_;
  std::unordered_set<const Node*> lifted_;
};

/// Variables that a function binds and uses outside of the block that they are bound for, as shared nodes can. In the
/// order in which they are met.
std::vector<VarRef> escapedVariables(const Expr& function);

}  // namespace rx::relay
