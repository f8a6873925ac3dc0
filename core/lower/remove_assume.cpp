// RemoveAssume: what was only said to the compiler goes, and what is then empty.
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/statements.h"

namespace rx::lower {

Result<tir::PrimFuncRef> removeAssume(const tir::PrimFuncRef& func, Scope& scope) {
  return removeNoOp(withBody(func, rewriteStatements(func->body,
                                                     [](const tir::Stmt& statement) {
                                                       const auto* evaluate = as<tir::Evaluate>(statement);
                                                       const bool assumes =
                                                           evaluate && asCallOf(evaluate->value, "assume");
                                                       return assumes ? tir::Stmt() : statement;
                                                     })),
                    scope);
}

}  // namespace rx::lower
