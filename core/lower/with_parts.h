// Statements with other parts. Each is a copy that keeps what is not named, or the very same statement where no part
// differs.
#pragma once

#include "core/ir/stmt.h"

namespace rx::lower {

tir::Stmt withParts(const tir::IfThenElse& branch, tir::PrimExpr condition, tir::Stmt thenCase, tir::Stmt elseCase);
tir::Stmt withParts(const tir::For& loop, tir::PrimExpr min, tir::PrimExpr extent, tir::PrimExpr step, tir::Stmt body);
tir::Stmt withParts(const tir::AttrStmt& attribute, tir::PrimExpr value, tir::Stmt body);

}  // namespace rx::lower
