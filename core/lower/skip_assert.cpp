// SkipAssert: assertions are promises to the caller; a release build may leave them out.
#include "core/ir/all_nodes.h"
#include "core/lower/pass_functions.h"
#include "core/lower/statements.h"

namespace rx::lower {

Result<tir::PrimFuncRef> skipAssert(const tir::PrimFuncRef& func, Scope&) {
  return withBody(func, rewriteStatements(func->body, [](const tir::Stmt& statement) {
                    return isa<tir::AssertStmt>(statement) ? tir::Stmt() : statement;
                  }));
}

}  // namespace rx::lower
