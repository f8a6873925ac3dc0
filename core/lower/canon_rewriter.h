// CanonRewriter: a Rewriter that tells arith::Canon what loops, conditions, bindings and assertions around the present
// place say.
#pragma once

#include <vector>

#include "core/arith/canon.h"
#include "core/ir/relax.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

/// What calls of intrinsics may do, for arith::Canon.
arith::Effect effectOfCall(const tir::Call& call);
/// A dimension of a buffer parameter is not negative.
void markShapes(arith::Canon& canon, const tir::PrimFunc& func);

class CanonRewriter : public Rewriter {
 public:
  explicit CanonRewriter(arith::Canon& canon) : canon_(canon) { groups_.emplace_back(); }

 protected:
  tir::Stmt visit(const tir::Stmt& statement) override;
  /// Axes of blocks keep their variables.
  NodeRef enter(const NodeRef& node) override;
  /// The parts that visit() hands the kinds to that matter to the scope; overridden to act before or after.
  virtual tir::Stmt visitFor(const Ref<tir::For>& loop);
  virtual tir::Stmt visitIf(const Ref<tir::IfThenElse>& branch);
  virtual tir::Stmt visitBind(const Ref<tir::Bind>& bind);
  virtual tir::Stmt visitAttr(const Ref<tir::AttrStmt>& attribute);

  /// Conditions that hold from here to the end of the group that is open.
  void assume(const tir::PrimExpr& condition, bool derived = false) {
    groups_.back().scopes.emplace_back(canon_, condition, derived);
  }
  /// Runs `body` in a group of its own.
  template <class Body>
  auto inGroup(Body&& body) {
    groups_.emplace_back();
    auto value = body();
    groups_.pop_back();
    return value;
  }

  arith::Canon& canon_;

 private:
  /// Conditions end in the reverse order.
  struct Group {
    std::vector<arith::Canon::Scope> scopes;
    Group() = default;
    Group(Group&&) = default;
    ~Group() {
      while (!scopes.empty()) scopes.pop_back();
    }
  };
  tir::Stmt visitBlock(const Ref<tir::Block>& block);
  std::vector<Group> groups_;
};

}  // namespace rx::lower
