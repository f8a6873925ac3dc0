// Small tools over TIR statements that several passes share.
#pragma once

#include <functional>

#include "core/ir/stmt.h"

namespace rx::lower {

/// `Evaluate(constant)`: nothing happens.
bool isNoOp(const tir::StmtNode& statement);

/// The sequence flat and without its no-ops; the very same one when it needs neither.
tir::Stmt withoutNoOps(const Ref<tir::SeqStmt>& sequence);
/// The statements in order as one, flat and without no-ops: what TVM's SeqStmt::Flatten makes.
tir::Stmt inOrder(std::span<const tir::Stmt> statements);

/// Whether the variable occurs in the expression; in none where that is null.
bool uses(const tir::PrimExpr& expr, const tir::Var* var);

/// Replaces statements bottom-up: `change` gets each statement with its parts already rewritten and returns what stands
/// in its place; null drops it. A loop, branch or attribute whose body was dropped keeps a no-op there; a sequence just
/// gets shorter. Unchanged statements stay the same objects.
tir::Stmt rewriteStatements(const tir::Stmt& root, const std::function<tir::Stmt(const tir::Stmt&)>& change);

}  // namespace rx::lower
