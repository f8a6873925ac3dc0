// LowerTVMBuiltin: in functions of the host, packed calls and allocations become what the runtime offers.
#include "core/ir/all_nodes.h"
#include "core/lower/builtin_lowering.h"
#include "core/lower/function_target.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

Result<tir::PrimFuncRef> lowerTVMBuiltin(const tir::PrimFuncRef& func, Scope&) {
  if (!isHostFunction(*func)) return func;
  BuiltinLowering lowering({deviceTypeOf(*func), nullptr});
  Result<tir::Stmt> body = lowering.run(func->body);
  if (!body) return body.failure();
  return withBody(func, *body);
}

}  // namespace rx::lower
