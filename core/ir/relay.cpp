#include "core/ir/relay.h"

namespace rx::relay {

Type tensorType(std::span<const tir::PrimExpr> shape, DataType dtype) {
  return make<TensorType>(Array<tir::PrimExpr>(shape.begin(), shape.end()), dtype);
}

Type scalarType(DataType dtype) { return make<TensorType>(Array<tir::PrimExpr>(), dtype); }

Type typeOf(const Expr& expr) { return expr ? refAs<TypeNode>(expr->sinfo) : nullptr; }

}  // namespace rx::relay
