// DecorateDeviceScope: the whole body is code of the device.
#include "core/ir/all_nodes.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

Result<tir::PrimFuncRef> decorateDeviceScope(const tir::PrimFuncRef& func, Scope&) {
  const tir::PrimExpr nothing = tir::intImm(0, DataType::Int(32));
  return withBody(func, make<tir::AttrStmt>(nothing, "device_scope", nothing, func->body));
}

}  // namespace rx::lower
