// Perfect nests of loops: taken apart and put together again.
#pragma once

#include <vector>

#include "core/ir/stmt.h"

namespace rx::lower {

struct LoopNest {
  std::vector<Ref<tir::For>> loops;  ///< from the outermost
  tir::Stmt body;
};

/// The loops at the top of the statement that hold nothing but one another, and what the innermost holds.
LoopNest loopNest(const tir::Stmt& statement);
/// The loop around another body.
Ref<tir::For> withLoopBody(const tir::For& loop, tir::Stmt body);
/// The loops, from the outermost, around another body.
tir::Stmt inLoops(std::span<const Ref<tir::For>> loops, tir::Stmt body);
/// A loop from 0 over a new variable.
tir::Stmt loopOver(const tir::VarRef& var, tir::PrimExpr extent, tir::ForKind kind, tir::Stmt body);
/// A variable of the same type, its name with `suffix`.
tir::VarRef renamed(const tir::Var& var, std::string_view suffix);

}  // namespace rx::lower
